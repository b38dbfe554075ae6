/** What is seen to after a picture was drawn: scrolling, and where Tab goes. */

/** A long Jacobi sheet is scrolled as far as the pass of this step asks for. */
export function showRow({ root, drawn, state }) {
  if (drawn.row === state.step) return;
  const row = root.querySelector("[data-now]");
  const box = row && row.closest(".panel-body");
  if (!box) return;
  drawn.row = state.step;
  const here = row.getBoundingClientRect(), room = box.getBoundingClientRect();
  if (here.top < room.top) box.scrollTop -= room.top - here.top + 8;
  else if (here.bottom > room.bottom) box.scrollTop += here.bottom - room.bottom + 8;
}

/** One cell of each view can be reached by Tab: the one last focused, else the first. */
export function keepTabStops(root) {
  for (const kind of ["window", "trie", "text", "sheet"]) {
    const chosen = root.querySelector(`[data-cell="${kind}"][tabindex="0"]`);
    if (chosen) continue;
    const first = root.querySelector(`[data-cell="${kind}"]`);
    if (first) first.setAttribute("tabindex", "0");
  }
}

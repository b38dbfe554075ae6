/** Pointer and keys of one player, by a few listeners on its root. */
import { command, mustNotEscape } from "./keys.js";

/** Listen; returns what stops it. */
export function listen(player) {
  const { root } = player, stops = [];
  const on = (target, name, handle, options) => {
    target.addEventListener(name, handle, options);
    stops.push(() => target.removeEventListener(name, handle, options));
  };
  on(root, "pointermove", (event) => hover(player, event));
  on(root, "pointerleave", () => player.change({ hover: null }));
  on(root, "pointerdown", (event) => startScrub(player, event));
  on(root, "click", (event) => click(player, event));
  on(root, "focusin", (event) => focused(player, event));
  on(root, "keydown", (event) => press(player, event, true));
  // A click elsewhere may leave the page. Streamlit draws nothing at all when a part of the old
  // page asks to be run in the same moment, so what we have to tell waits.
  on(document, "pointerdown", (event) => {
    player.pointed = true;
    if (player.rest && !event.composedPath().includes(root)) player.report();
  }, true);
  on(document, "keydown", (event) => {
    if (event.key === "Tab") player.pointed = false;
    if (!event.composedPath().includes(root)) press(player, event, false);
  }, true);
  return () => stops.forEach((stop) => stop());
}

function closest(event, selector) {
  return event.target.closest ? event.target.closest(selector) : null;
}

function refAt(player, event) {
  if (closest(event, ".mask-box")) return player.maskRef(event);
  const timeline = closest(event, "[data-timeline]");
  if (timeline) return `b:${player.scrub(event, timeline)}`;
  const element = closest(event, "[data-ref]");
  return element ? element.dataset.ref : null;
}

function hover(player, event) {
  if (player.scrubbing) {
    player.change({ step: player.scrub(event, player.scrubbing), playing: false });
    return;
  }
  if (closest(event, ".panel.why")) return;
  const ref = refAt(player, event);
  if (ref !== player.state.hover) player.change({ hover: ref });
}

function startScrub(player, event) {
  const timeline = closest(event, "[data-timeline]");
  if (!timeline || event.button) return;
  player.scrubbing = timeline;
  timeline.setPointerCapture(event.pointerId);
  player.change({ step: player.scrub(event, timeline), playing: false, hover: null });
  const stop = () => {
    player.scrubbing = null;
    timeline.removeEventListener("pointerup", stop);
    timeline.removeEventListener("pointercancel", stop);
  };
  timeline.addEventListener("pointerup", stop);
  timeline.addEventListener("pointercancel", stop);
}

function click(player, event) {
  const element = closest(event, "[data-do],[data-toggle],[data-colour],[data-save],[data-go],[data-pick]");
  if (element) {
    act(player, element.dataset);
    return;
  }
  if (!closest(event, "[data-timeline]")) player.lock(refAt(player, event));
}

function act(player, data) {
  if (data.do) player.run(data.do);
  else if (data.toggle) player.change({ [data.toggle]: !player.state[data.toggle] });
  else if (data.colour) player.change({ colour: data.colour });
  else if (data.save) player.save(data.save);
  else if (data.pick) player.answer(data.pick);
  else if (data.go) {
    const [step, ref] = data.go.split("|");
    player.go(Number(step), ref);
  }
}

/** Keyboard focus is looked at like the pointer, and stays the cell that Tab comes back to. */
function focused(player, event) {
  const cell = event.target.dataset && event.target.dataset.cell;
  if (!cell || cell === "mask" || !event.target.matches(":focus-visible")) return;
  for (const other of player.root.querySelectorAll(`[data-cell="${cell}"][tabindex="0"]`)) {
    if (other !== event.target && cell !== "pool") other.setAttribute("tabindex", "-1");
  }
  event.target.setAttribute("tabindex", "0");
  player.change({ hover: event.target.dataset.ref });
}

function press(player, event, inside) {
  const target = inside ? event.target : event.composedPath()[0];
  if (inside && mustNotEscape(event)) event.stopPropagation();
  const name = command(event, target instanceof Element ? target : null, inside, player.pointed);
  if (!name) return;
  const done = FOCUS_MOVES[name] ? moveFocus(player, target, name)
    : name === "lock" && target.dataset.cell === "mask" ? lockMask(player) : player.run(name);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

const FOCUS_MOVES = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

function lockMask(player) {
  const ref = player.state.hover || player.state.lock;
  player.lock(ref || "m:0:0");
  return true;
}

function moveFocus(player, target, name) {
  const [rows, cols] = FOCUS_MOVES[name];
  const kind = target.dataset.cell;
  if (kind === "mask") return moveOnMask(player, rows, cols);
  const row = target.closest('[role="row"]');
  const next = row ? inGrid(player, row, target, rows, cols)
    : inLine(player, target, kind, rows + cols);
  if (next) next.focus({ preventScroll: false });
  return true;
}

function inGrid(player, row, target, rows, cols) {
  const cells = (one) => [...one.querySelectorAll('[role="gridcell"]')];
  const all = [...player.root.querySelectorAll('[role="row"]')].filter((one) =>
    one.parentNode === row.parentNode && cells(one).length);
  const line = all[all.indexOf(row) + rows];
  return line ? cells(line)[cells(row).indexOf(target) + cols] : null;
}

function inLine(player, target, kind, by) {
  const all = [...player.root.querySelectorAll(`[data-cell="${kind}"]`)];
  return all[all.indexOf(target) + by];
}

function moveOnMask(player, rows, cols) {
  const { slots } = player.step().layout;
  const now = /^m:(\d+):(-?\d+)$/.exec(player.state.hover || player.state.lock || "");
  const [q, k] = now ? [Number(now[1]) + rows, Number(now[2]) + cols] : [0, 0];
  const clamp = (value, least) => Math.max(least, Math.min(slots - 1, value));
  player.change({ hover: `m:${clamp(q, 0)}:${clamp(k, -1)}` });
  return true;
}

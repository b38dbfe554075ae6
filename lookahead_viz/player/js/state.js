/** What a player looks at, and how a command changes it. Nothing here knows the page. */

const VIEWS = ["window", "mask", "trie", "pool"];

/** @param {object} model @param {object} start what the page or the link asks for */
export function newState(model, start) {
  return {
    step: clamp(model, start.step || 0),
    focus: start.focus || "all",
    hover: null,
    lock: start.cell ? refOfCell(start.cell) : null,
    colour: "age",
    straighten: Boolean(start.straighten), expanded: false, expected: false, table: false, whole: false,
    allPool: start.focus === "pool",
    playing: false,
    speed: 1,
    lecture: Boolean(start.lecture),
    sheet: null,
    bookmarks: new Set(),
    only: null, ask: null,
  };
}

const LINKED = /^([negpoj]?)(-?\d{1,6}(?:,-?\d{1,6}){0,31})$/;

/**
 * The thing a link names: "12,9" is a mask cell, "12" a slot; a letter before the numbers says
 * another kind, as in links.js: "n3" a ribbon, "g15,18" a node of the tree, "p7" a pool entry.
 */
export function refOfCell(cell) {
  const found = LINKED.exec(cell);
  if (!found) return null;
  const [, letter, numbers] = found, many = numbers.split(",");
  if (!letter) return many.length > 2 ? null : `${"_sm"[many.length]}:${many.join(":")}`;
  return `${letter}:${letter === "j" ? many.join(":") : numbers}`;
}

/** What a link says of the thing that is locked; "" for things that links do not name. */
export function cellOfRef(ref) {
  const found = /^([smnegpoj]):(-?\d+(?:[:,]-?\d+)*)$/.exec(ref || "");
  if (!found) return "";
  const [, kind, numbers] = found;
  return ("sm".includes(kind) ? "" : kind) + numbers.replaceAll(":", ",");
}

export function clamp(model, step) {
  return Math.max(0, Math.min(model.steps.length - 1, step));
}

/** The next step that accepted several tokens; the same one when there is none. */
export function nextAccepting(model, step, direction) {
  for (let i = step + direction; i >= 0 && i < model.steps.length; i += direction) {
    if (model.steps[i].accepted.length > 1) return i;
  }
  return step;
}

/** The changes a command makes; null when it is none of these. */
export function applyCommand(model, state, name) {
  const move = moves(model, state, name);
  if (move !== null) return { step: clamp(model, move), playing: false };
  if (name.startsWith("view ")) {
    const view = VIEWS[Number(name.slice(5)) - 1];
    return { focus: state.focus === view ? "all" : view };
  }
  if (name === "out") return outOf(state);
  if (name === "row on" || name === "row back") return { lock: nextRow(model, state, name) };
  const toggles = {
    play: { playing: !state.playing },
    lecture: { lecture: !state.lecture },
    help: { sheet: state.sheet === "help" ? null : "help" },
    words: { sheet: state.sheet === "words" ? null : "words" },
    close: { sheet: null },
    bookmark: { bookmarks: toggled(state.bookmarks, state.step) },
  };
  return toggles[name] || null;
}

/** What lies on top goes first: the sheet of keys or words, then lecture mode. */
function outOf(state) {
  if (state.sheet) return { sheet: null };
  return state.lecture ? { lecture: false } : null;
}

function moves(model, state, name) {
  switch (name) {
    case "back": return state.step - 1;
    case "on": return state.step + 1;
    case "first": return 0;
    case "last": return model.steps.length - 1;
    case "back accepting": return nextAccepting(model, state.step, -1);
    case "on accepting": return nextAccepting(model, state.step, 1);
    case "asked step": return state.ask ? state.ask.step : state.step;
    case "next bookmark": return nextBookmark(state);
    default: return null;
  }
}

function nextBookmark(state) {
  const all = [...state.bookmarks].sort((a, b) => a - b);
  return all.find((step) => step > state.step) ?? all[0] ?? state.step;
}

function nextRow(model, state, name) {
  const { slots } = model.steps[state.step].layout;
  const now = /^[sm]:(\d+)/.exec(state.lock || "");
  const next = now ? Number(now[1]) + (name === "row on" ? 1 : -1) : 0;
  return `s:${Math.max(0, Math.min(slots - 1, next))}`;
}

function toggled(set, value) {
  const made = new Set(set);
  if (!made.delete(value)) made.add(value);
  return made;
}

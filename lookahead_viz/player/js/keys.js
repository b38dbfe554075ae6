/** Which key does what. */

const EDITABLE = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const TYPED_INTO = new Set([
  "menuitem", "menuitemradio", "option", "combobox", "listbox", "textbox", "searchbox", "spinbutton",
  "treeitem", "menu",
]);
const CHOSEN_AMONG = new Set(["radio", "tab"]);
const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", " "]);
const PRESSABLE = new Set(["BUTTON", "A", "SUMMARY"]);

const PLAIN = {
  ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play",
  1: "view 1", 2: "view 2", 3: "view 3", 4: "view 4",
  j: "row on", k: "row back", m: "bookmark", b: "next bookmark", g: "words", h: "help",
  l: "lecture", Escape: "out", w: "up", s: "down", a: "left", d: "right", Enter: "lock",
};
const SHIFTED = { ArrowLeft: "back accepting", ArrowRight: "on accepting" };
const CELL_MOVES = new Set(["up", "down", "left", "right"]);

/**
 * What a key press asks for, or null.
 * @param {KeyboardEvent} event @param {Element|null} target where the focus is
 * @param {boolean} inside whether that is inside the player
 * @param {boolean} pointed whether the pointer was used after the Tab key
 */
export function command(event, target, inside, pointed = false) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (target && takesKey(event.key, target, inside, pointed)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = (event.shiftKey ? SHIFTED : PLAIN)[key] || null;
  if (!found) return null;
  if (CELL_MOVES.has(found) || found === "lock") {
    return inside && target && target.dataset && target.dataset.cell ? found : null;
  }
  if (found === "play" && target && PRESSABLE.has(target.tagName)) return null;
  return found;
}

/** Does the focused element need this key itself? The player's timeline does not. */
function takesKey(key, target, inside, pointed) {
  if (inside && target.dataset && target.dataset.timeline) return false;
  const role = target.getAttribute && target.getAttribute("role");
  if (role === "slider" || target.type === "range") return ARROWS.has(key);
  if (CHOSEN_AMONG.has(role) || target.type === "radio" || target.type === "checkbox") {
    // chosen by the pointer, its focus is left over: the arrows are for the steps again
    return ARROWS.has(key) && !pointed;
  }
  return EDITABLE.has(target.tagName) || target.isContentEditable || TYPED_INTO.has(role);
}

/** Keys that mean something to the app around the player, and nothing here. */
export function mustNotEscape(event) {
  return ["r", "c"].includes(event.key.toLowerCase()) && !event.ctrlKey && !event.metaKey;
}

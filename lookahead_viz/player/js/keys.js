/** Which key does what. */

const EDITABLE = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const OWN_ARROWS = new Set([
  "slider", "radio", "tab", "menuitem", "menuitemradio", "option", "combobox", "listbox", "textbox",
  "searchbox", "spinbutton", "treeitem", "menu",
]);
const PRESSABLE = new Set(["BUTTON", "A", "SUMMARY"]);

const PLAIN = {
  ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play",
  1: "view 1", 2: "view 2", 3: "view 3", 4: "view 4",
  j: "row on", k: "row back", m: "bookmark", b: "next bookmark", g: "words", h: "help",
  l: "lecture", w: "up", s: "down", a: "left", d: "right", Enter: "lock",
};
const SHIFTED = { ArrowLeft: "back accepting", ArrowRight: "on accepting" };
const CELL_MOVES = new Set(["up", "down", "left", "right"]);

/**
 * What a key press asks for, or null.
 * @param {KeyboardEvent} event @param {Element|null} target where the focus is
 * @param {boolean} inside whether that is inside the player
 */
export function command(event, target, inside) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (target && takesKeys(target, inside)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = (event.shiftKey ? SHIFTED : PLAIN)[key] || null;
  if (!found) return null;
  if (CELL_MOVES.has(found) || found === "lock") {
    return inside && target && target.dataset && target.dataset.cell ? found : null;
  }
  if (found === "play" && target && PRESSABLE.has(target.tagName)) return null;
  return found;
}

/** Does the focused element need its own keys? The player's timeline does not. */
function takesKeys(target, inside) {
  if (inside && target.dataset && target.dataset.timeline) return false;
  if (EDITABLE.has(target.tagName) || target.isContentEditable) return true;
  return OWN_ARROWS.has(target.getAttribute && target.getAttribute("role"));
}

/** Keys that mean something to the app around the player, and nothing here. */
export function mustNotEscape(event) {
  return ["r", "c"].includes(event.key.toLowerCase()) && !event.ctrlKey && !event.metaKey;
}

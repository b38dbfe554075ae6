/** Token texts in the room there is. */

const UNIT = /⟨[^⟩]*⟩|◌?./gsu;
const WIDE = new RegExp("[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f" +
  "\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3fffd}]", "u");

/** How many columns a text takes in a monospaced font, roughly. */
export function columns(text) {
  let sum = 0;
  for (const char of text) sum += WIDE.test(char) ? 2 : 1;
  return sum;
}

/** A text cut to `limit` columns, the last one "…"; an escape is never cut. */
export function shorten(text, limit) {
  if (text.length <= limit && columns(text) <= limit) return text;
  let room = Math.max(limit, 1) - 1, head = "";
  for (const [unit] of text.slice(0, 4 * limit + 12).matchAll(UNIT)) {
    room -= columns(unit);
    if (room < 0) break;
    head += unit;
  }
  return head + "…";
}

/** How many monospaced columns of font size `px` fit into `width`. */
export function roomIn(width, px) {
  return Math.max(1, Math.floor((width - 4) / (px * 0.605)));
}

/** The fill of a theme by its name, as two attributes' values. */
export function paint(name) {
  return { fill: `var(--lv-${name})`, ink: `var(--lv-${name}-text)` };
}

/** The app's theme, by its background: "light" or "dark". */
export function appTheme(parent) {
  const host = parent.host || parent;
  const colour = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
  const hex = /^#([0-9a-f]{6})/i.exec(colour);
  const parts = hex ? [0, 2, 4].map((i) => parseInt(hex[1].slice(i, i + 2), 16))
    : (colour.match(/\d+/g) || [255, 255, 255]).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) < 384 ? "dark" : "light";
}

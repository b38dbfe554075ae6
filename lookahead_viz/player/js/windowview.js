/** The 2-D window: staggered rows of guesses, n-grams as ribbons through them. */
import { cellLines, rowLabel, windowCell } from "./history.js";
import { h } from "./vdom.js";
import { roomIn, shorten } from "./words.js";

export const COLOURS = {
  age: "age of the row",
  probability: "the model's probability",
  changed: "changed since the last pass",
  final: "equal to the final text",
};

/** All cells of a step: the window row-major, then the row of predictions. */
export function windowCells(model, step) {
  const found = [];
  const rows = step.R + (step.predictions.length ? 1 : 0);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < step.C; c++) found.push(windowCell(model, step, r, c));
  }
  return found;
}

/** The window as SVG. */
export function windowView(model, step, look, lights) {
  const rows = step.R + (step.predictions.length ? 1 : 0);
  const span = look.straighten ? step.C : step.C + rows - 1;
  const flat = look.height < look.px * (2.9 + (look.narrow ? 1.6 : 2.4) * rows);
  const left = look.px * (look.narrow ? 5.2 : 9.5), top = look.px * (flat ? 1.7 : 2.9);
  const column = Math.max((look.width - left - 4) / span, look.px * (look.narrow ? 2 : 2.4));
  const line = Math.max(look.px * 1.35, Math.min(look.px * 4.4, (look.height - top - 4) / rows));
  const place = { left, top, column, line, span, rows, flat };
  const cells = windowCells(model, step);
  const width = left + column * span + 4, height = top + line * rows + 2;
  return h("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "grid",
    "aria-label": "Window: rows of guesses by offset from the current token",
    "font-family": look.mono,
  }, hatch(), ticks(step, look, place), ribbons(step, look, lights, place),
  byRow(cells, rows).map((row, r) => h("g", { role: "row" }, rowHeader(model, step, r, look, place),
    row.map((cell) => cellNode(model, step, cell, look, lights, place)))));
}

function byRow(cells, rows) {
  return Array.from({ length: rows }, (_, r) => cells.filter((cell) => cell.row === r));
}

function hatch() {
  return h("defs", {}, h("pattern", {
    id: "lv-hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  }, h("line", { x1: 0, y1: 0, x2: 0, y2: 7, stroke: "var(--lv-outline)", "stroke-width": 2 })));
}

function ticks(step, look, { left, top, column, span, flat }) {
  const labels = Array.from({ length: span }, (_, x) => look.straighten
    ? [`col ${x}`, `from +${x}`] : [x ? `+${x}` : "current", String(step.position + x)]);
  return h("g", { "aria-hidden": true, "font-family": look.font }, labels.map(([text, small], x) => [
    h("text", {
      x: left + (x + 0.5) * column, y: top - look.px * (flat ? 0.45 : 1.45), "text-anchor": "middle",
      "font-size": Math.max(11, look.px - 1), fill: "var(--lv-text)",
    }, column < 40 && text === "current" ? "cur." : text),
    flat ? null : h("text", {
      x: left + (x + 0.5) * column, y: top - look.px * 0.45, "text-anchor": "middle",
      "font-size": Math.max(9, look.px - 4), fill: "var(--lv-muted)",
    }, column < 40 && look.straighten ? "" : small),
  ]).flat());
}

/** Where the rows are flat there is no room for a second line: "row 1", and the age on request. */
function rowHeader(model, step, row, look, { top, line, flat }) {
  const [name, age] = rowLabel(model, step, row), y = top + (row + 0.5) * line;
  const shown = look.narrow && row === step.R ? "new" : look.narrow ? `row ${row}` : name;
  return h("g", { role: "rowheader", "aria-label": `${name}, ${age}`, "font-family": look.font },
    h("text", { x: 0, y: look.narrow || flat ? y + 4 : y - 2, "font-size": Math.max(11, look.px - 1),
      fill: "var(--lv-text)" }, shown),
    look.narrow || flat ? null : h("text", {
      x: 0, y: y + look.px * 0.95, "font-size": Math.max(10, look.px - 3), fill: "var(--lv-muted)",
    }, age));
}

function columnOf(cell, look) {
  return look.straighten ? cell.col : cell.offset;
}

/** One line per n-gram, under the cells: it shows between the rows. */
function ribbons(step, look, lights, { left, top, column, line, rows }) {
  if (step.phase !== "full" || rows < 2) return h("g", {});
  return h("g", { "aria-hidden": true }, Array.from({ length: step.C }, (_, c) => {
    const points = Array.from({ length: rows }, (_, r) => {
      const x = look.straighten ? c : r + c;
      return `${left + (x + 0.5) * column},${top + (r + 0.5) * line}`;
    });
    const lit = lights.cols.has(c);
    return h("polyline", {
      points: points.join(" "), fill: "none", "data-ref": `n:${c}`, class: "ribbon",
      stroke: lit ? "var(--lv-cursor)" : "var(--lv-ribbon)", "stroke-width": lit ? 11 : 6,
      "stroke-linecap": "round", "stroke-linejoin": "round", opacity: lit ? 1 : 0.5,
    });
  }));
}

/** The fill and the ink of a cell, by what the colour stands for. */
export function cellFill(step, cell, look) {
  const { theme, colour } = look;
  const state = (name) => [theme[name], theme[`${name}-text`]];
  if (cell.current) return state("committed");
  if (cell.slot === null) return [theme.background, theme.text];
  if (colour === "age") {
    const ramp = theme.ages[Math.min(step.R, theme.ages.length) - 1];
    return ramp[Math.min(cell.age, ramp.length) - 1];
  }
  if (colour === "probability") {
    if (cell.probability === null) return state("plain");
    return theme.probabilities[Math.round(cell.probability * (theme.probabilities.length - 1))];
  }
  if (colour === "changed") return state(cell.changed ? "changed" : "plain");
  return state(cell.final ? "lucky" : "plain");
}

function cellNode(model, step, cell, look, lights, { left, top, column, line, flat }) {
  const [fill, ink] = cellFill(step, cell, look);
  const entering = cell.slot === null;
  const lit = entering ? lights.entering.has(cell.col) : lights.slots.has(cell.slot);
  const width = column - 3, height = line * (flat ? 0.8 : 0.64);
  const x = left + columnOf(cell, look) * column + 1.5, y = top + (cell.row + 0.5) * line - height / 2;
  const frame = { x, y, width, height, rx: 4 };
  return h("g", {
    role: "gridcell", tabindex: -1, "data-cell": "window",
    "data-ref": entering ? `e:${cell.col}` : `s:${cell.slot}`,
    "aria-label": cellLines(model, step, cell).join(". "),
  }, h("rect", {
    ...frame, fill, stroke: lit ? "var(--lv-cursor)" : "var(--lv-outline)",
    "stroke-width": lit ? 3 : 1, "stroke-dasharray": entering && !lit ? "4 3" : null,
  }), cell.fill ? h("rect", { ...frame, fill: "url(#lv-hatch)", opacity: 0.55 }) : null,
  cell.changed && !lit ? h("rect", {
    ...frame, fill: "none", stroke: "var(--lv-cursor)", "stroke-width": 2, "stroke-dasharray": "2 3",
  }) : null, h("text", {
    x: x + width / 2, y: y + height / 2 + look.px * 0.35, "text-anchor": "middle",
    "font-size": look.px, fill: ink, stroke: cell.fill ? fill : null,
    "stroke-width": cell.fill ? 4 : null, "paint-order": cell.fill ? "stroke" : null,
  }, shorten(model.texts[cell.token], roomIn(width, look.px))));
}

/** What the colours mean, and the outlines: [fill, words, dotted]. */
export function windowLegend(model, step, look) {
  const { theme, colour } = look;
  const found = [[theme.committed, "current token"]];
  if (colour === "age") {
    const ramp = theme.ages[Math.min(step.R, theme.ages.length) - 1];
    found.push([ramp[0][0], "newest guess"]);
    if (step.R > 1) found.push([ramp[ramp.length - 1][0], "oldest guess"]);
  } else if (colour === "probability") {
    const ramp = theme.probabilities;
    found.push([ramp[0][0], "0"], [ramp[10][0], "0.5"], [ramp[20][0], "1"]);
  } else if (colour === "changed") {
    return [...found, [theme.changed, "changed", true], [theme.plain, "unchanged or new"]];
  } else found.push([theme.lucky, "already the final token"], [theme.plain, "not, or not known"]);
  found.push(["none", "dotted: changed since the last pass", true]);
  return found;
}

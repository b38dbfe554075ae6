/** The mask: lines read, columns are read. Drawn on a canvas, written out as SVG. */
import { GUESS, rule } from "./rules.js";
import { predictionAt } from "./run.js";
import { h } from "./vdom.js";
import { shorten } from "./words.js";

const RULE_FILLS = { R0: "r0", R1: "r1", R2: "r2", R3: "r3", R4: "r4", R5: "r5" };

/** Where everything stands, for a layout and the room there is. */
export function maskGeometry(model, step, look) {
  const { layout } = step;
  const prefix = look.expanded ? Math.max(1, Math.min(step.position, 24)) : 1;
  const across = layout.slots + prefix;
  const labelled = (look.height - 30) / layout.slots >= 8;
  const turned = (look.height - look.px * 5.6 - 18) / layout.slots >= 9;
  const left = Math.round(look.px * (labelled ? 8 : 7));
  const top = turned ? Math.round(look.px * 5.6) : 12, right = look.px * (look.narrow ? 2.5 : 6.2);
  const room = Math.min((look.width - left - right) / across, (look.height - top - 18) / layout.slots);
  const cell = Math.max(2, Math.min(26, room >= 8 ? Math.floor(room) : room));
  return {
    layout, prefix, across, labelled, turned, left, top, cell, position: step.position,
    width: left + cell * across + right, height: top + cell * layout.slots + 18,
  };
}

/** Where the legend stands: beside the mask if there is room at every step, else below it. */
export function maskKeyPlace({ width, height }, px) {
  const widest = px * (8 + 6.2) + height - 30;
  return width - widest >= maskKeyWidth(px) ? "beside" : "below";
}

export function maskKeyWidth(px) {
  return px * 9;
}

/** The mask cell under a point: [row, column], -1 = committed; [row] before it; null outside. */
export function maskCellAt(geometry, x, y) {
  const column = Math.floor((x - geometry.left) / geometry.cell);
  const row = Math.floor((y - geometry.top) / geometry.cell);
  const { slots } = geometry.layout;
  if (row < 0 || row >= slots || column < 0 || column >= geometry.across) {
    const inRow = row >= 0 && row < slots && x >= 0 && x < geometry.left;
    return inRow ? [row] : null;
  }
  return [row, Math.max(-1, column - geometry.prefix)];
}

/** Groups of slots that belong together: [name, short name, first, end, is a candidate]. */
export function maskGroups(layout) {
  const found = [];
  for (let r = 0; r < layout.R; r++) {
    found.push([`row ${r}`, `r${r}`, r * layout.C, (r + 1) * layout.C, false]);
  }
  for (let start = layout.R * layout.C, end = start; start < layout.slots; start = end) {
    const g = layout.rows[start];
    while (end < layout.slots && layout.rows[end] === g) end++;
    found.push([`candidate ${g + 1}`, `c${g + 1}`, start, end, true]);
  }
  return found;
}

const runsOfLayout = new Map();

/** Runs of equal cells, [row, first column, end, reason]: every cell is in exactly one. */
export function maskRuns(layout) {
  const key = layout.key || `${layout.R},${layout.C},${layout.G},${layout.n}`;
  if (!runsOfLayout.has(key)) {
    const found = [];
    for (let q = 0; q < layout.slots; q++) {
      let start = 0, reason = rule(layout, q, 0);
      for (let k = 1; k <= layout.slots; k++) {
        const next = k < layout.slots ? rule(layout, q, k) : null;
        if (next === reason) continue;
        found.push([q, start, k, reason]);
        [start, reason] = [k, next];
      }
    }
    runsOfLayout.set(key, found);
  }
  return runsOfLayout.get(key);
}

/** Everything to draw, as rectangles [x, y, w, h, fill] and texts. */
export function maskShapes(model, step, look, geometry) {
  const { layout, left, top, cell, prefix } = geometry;
  const rects = [], texts = [], gap = cell > 8 ? 1 : 0;
  const x0 = left + prefix * cell;
  rects.push([left, top, geometry.across * cell, layout.slots * cell, gap ? "faint" : "off"]);
  for (let q = 0; q < layout.slots; q++) {
    for (let i = 0; i < prefix; i++) {
      rects.push([left + i * cell, top + q * cell, cell - gap, cell - gap, "r1"]);
    }
  }
  for (const [q, start, end, reason] of maskRuns(layout)) {
    const fill = RULE_FILLS[reason] || "off";
    if (!gap) {
      const width = (end - start) * cell;
      if (fill !== "off") rects.push([x0 + start * cell, top + q * cell, width, cell, fill]);
      continue;
    }
    for (let k = start; k < end; k++) {
      rects.push([x0 + k * cell, top + q * cell, cell - gap, cell - gap, fill]);
      addGlyph(texts, x0 + (k + 0.5) * cell, top + (q + 0.5) * cell, cell, reason, look.expected);
    }
  }
  addStrips(rects, texts, layout, geometry, x0, look);
  if (geometry.labelled) addTokens(texts, model, step, geometry, x0, look);
  return { rects, texts };
}

function addGlyph(texts, x, y, cell, reason, expected) {
  if (reason === "X2" && expected && cell >= 9) {
    texts.push({ x, y, text: "✗", fill: "off-text", size: cell * 0.6, align: "center" });
  } else if (RULE_FILLS[reason] && cell >= 14) {
    const text = reason === "R0" ? "●" : reason[1];
    texts.push({ x, y, text, fill: `${RULE_FILLS[reason]}-text`, size: cell * 0.55, align: "center" });
  }
}

/** A bar and a line per group along both axes: blue for the window, amber for candidates. */
function addStrips(rects, texts, layout, geometry, x0, look) {
  const { left, top, cell } = geometry, end = layout.slots * cell;
  rects.push([left, top - 8, geometry.prefix * cell - 1, 6, "r1"]);
  for (const [name, short, start, stop, guess] of maskGroups(layout)) {
    const size = (stop - start) * cell, fill = guess ? "r5" : "r4";
    rects.push([x0 + start * cell, top - 8, size - 1, 6, fill]);
    rects.push([left - 8, top + start * cell, 6, size - 1, fill]);
    const branch = !start || (guess && short === "c1"), thick = branch ? 2.5 : 1;
    const line = branch || cell > 8 ? "text" : "outline";
    if (start) rects.push([left, top + start * cell - thick / 2, geometry.across * cell, thick, line]);
    rects.push([x0 + start * cell - thick / 2, top, thick, end, line]);
    addGroupName(texts, { name, short, size, start: start * cell, x0, top, end, look });
  }
  texts.push({
    x: left - 2, y: top + end + 9, text: `committed ×${geometry.position}`, fill: "muted",
    size: Math.max(11, look.px - 6), align: "right",
  });
}

/** The name of a group below its columns and beside its lines, where there is room. */
function addGroupName(texts, { name, short, size, start, x0, top, end, look }) {
  const letters = Math.max(11, look.px - 5), shared = { fill: "text", size: letters };
  const label = size > name.length * letters * 0.6 ? name : size > letters * 1.4 ? short : "";
  if (label) {
    texts.push({ ...shared, x: x0 + start + size / 2, y: top + end + 9, text: label, align: "center" });
  }
  if (size >= 11) {
    const text = look.narrow ? short : name;
    texts.push({ ...shared, size: Math.min(letters, size), x: x0 + end + 5, y: top + start + size / 2,
      text, align: "left" });
  }
}

function addTokens(texts, model, step, geometry, x0, look) {
  const { left, top, cell, prefix, layout, turned } = geometry;
  const size = Math.max(9, Math.min(look.px, cell * 0.8));
  const letters = (room) => Math.floor(room / (size * 0.61));
  const room = letters(left - 14), up = letters(top - 12);
  const beside = { x: left - 11, fill: "text", size, align: "right", mono: true };
  const above = { y: top - 11, size, align: "left", mono: true, turned: true };
  for (let slot = 0; slot < layout.slots; slot++) {
    const token = model.texts[step.tokens[slot]], middle = (slot + 0.5) * cell;
    texts.push({ ...beside, y: top + middle, text: shorten(token, room) });
    if (turned) texts.push({ ...above, x: x0 + middle, text: shorten(token, up), fill: "text" });
  }
  if (prefix < 2 || !turned) return;
  for (let i = 0; i < prefix; i++) {
    const token = model.texts[tokenAt(model, step.position - prefix + i)];
    const x = left + (i + 0.5) * cell;
    texts.push({ ...above, x, text: shorten(token, up), fill: "muted" });
  }
}

function tokenAt(model, position) {
  const outside = position - model.prompt.length;
  return outside < 0 ? model.prompt[position] : model.outputs[outside].token;
}

/** Draw the mask; the canvas gets the size of the geometry. */
export function drawMask(canvas, geometry, shapes, look) {
  const context = sized(canvas, geometry);
  let last = "";
  for (const [x, y, width, height, fill] of shapes.rects) {
    if (fill !== last) context.fillStyle = look.theme[last = fill];
    context.fillRect(x, y, width, height);
  }
  context.textBaseline = "middle";
  for (const text of shapes.texts) drawText(context, text, look);
}

function sized(canvas, { width, height }) {
  const ratio = globalThis.devicePixelRatio || 1;
  const [w, hh] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  if (canvas.width !== w || canvas.height !== hh) {
    canvas.width = w;
    canvas.height = hh;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.getContext("2d").lvFont = "";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function drawText(context, text, look) {
  context.fillStyle = look.theme[text.fill];
  const font = `${text.size}px ${text.mono ? look.mono : look.font}`;
  // to set a font costs more than to draw the text
  if (context.lvFont !== font) context.font = context.lvFont = font;
  context.textAlign = text.align;
  const { x } = text;
  if (!text.turned) {
    context.fillText(text.text, x, text.y);
    return;
  }
  const ratio = globalThis.devicePixelRatio || 1;
  context.setTransform(0, -ratio, ratio, 0, x * ratio, text.y * ratio);
  context.fillText(text.text, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** Rules 2 and 3 have one fill: both read row 0. */
const RULE_WORDS = {
  R0: "● itself", R1: "1 text", R2: "2, 3 row 0", R4: "4 own column", R5: "5 own candidate",
};

/** What the fills mean: [fill, words], of the rules that this mask has. */
export function maskLegend(layout, theme, expected = false) {
  const found = new Set(maskRuns(layout).map(([, , , reason]) => reason));
  const rules = Object.entries(RULE_WORDS).filter(([reason]) => found.has(reason))
    .map(([reason, words]) => [theme[RULE_FILLS[reason]], words]);
  return expected && found.has("X2") ? [...rules, [theme.off, "✗ not on, as many expect"]] : rules;
}

/** Frames around what is lit: the row that reads, what it reads, the cell itself. */
export function drawMaskLights(canvas, step, geometry, lights, look) {
  const context = sized(canvas, geometry);
  const { layout, left, top, cell, prefix, across } = geometry;
  const x0 = left + prefix * cell;
  context.strokeStyle = context.fillStyle = look.theme.cursor;
  for (const slot of lights.slots) {
    context.fillRect(left - 9, top + slot * cell, 8, cell);
    context.fillRect(x0 + slot * cell, top - 9, cell, 8);
  }
  if (lights.row !== null && lights.row < layout.slots) {
    const q = lights.row, y = top + q * cell;
    context.lineWidth = cell > 8 ? 2 : 1;
    context.strokeRect(left - 0.5, y - 0.5, across * cell, cell);
    for (const [row, start, end, reason] of maskRuns(layout)) {
      if (row !== q || reason[0] !== "R" || cell < 9) continue;
      for (let k = start; k < end; k++) {
        context.strokeRect(x0 + k * cell + 1, y + 1, cell - 3, cell - 3);
      }
    }
  }
  if (!lights.cell) return;
  const [q, k] = lights.cell, x = k < 0 ? left : x0 + k * cell;
  context.lineWidth = 1;
  context.strokeRect(x - 0.5, top - 0.5, k < 0 ? prefix * cell : cell, layout.slots * cell);
  context.lineWidth = 3;
  context.strokeRect(x - 1, top + q * cell - 1, (k < 0 ? prefix * cell : cell) + 1, cell + 1);
}

/** The same mask as an SVG tree, for saving. */
export function maskSvg(geometry, shapes, look) {
  const rects = shapes.rects.map(([x, y, width, height, fill]) =>
    h("rect", { x, y, width, height, fill: `var(--lv-${fill})` }));
  const anchors = { left: "start", center: "middle", right: "end" };
  const texts = shapes.texts.map((text) => h("text", {
    x: text.x, y: text.y, "font-size": text.size, "dominant-baseline": "central",
    "text-anchor": anchors[text.align], fill: `var(--lv-${text.fill})`,
    "font-family": text.mono ? look.mono : look.font,
    transform: text.turned ? `rotate(-90 ${text.x} ${text.y})` : null,
  }, text.text));
  const { width, height } = geometry;
  return h("svg", { viewBox: `0 0 ${width} ${height}`, width, height },
    h("rect", { x: 0, y: 0, width, height, fill: "var(--lv-background)" }), rects, texts);
}

/** The table that llama.cpp's authors draw: one line per slot. */
export function slotTable(model, step) {
  const { layout } = step;
  const kinds = ["current", "window", "guess"];
  return Array.from({ length: layout.slots }, (_, slot) => {
    const g = layout.rows[slot], j = layout.cols[slot], guess = layout.roles[slot] === GUESS;
    const own = predictionAt(step, slot);
    const where = guess ? `candidate ${g + 1}, guess ${j + 1}` : `row ${g}, column ${j}`;
    return [slot, kinds[layout.roles[slot]], where,
      step.position + layout.offsets[slot], model.texts[step.tokens[slot]],
      own === undefined ? "not used" : model.texts[own]];
  });
}

/** The Jacobi sheet: output position from left to right, passes downwards (`views/jacobi.py`). */
import { h } from "./vdom.js";
import { roomIn, shorten } from "./words.js";

const STATE_WORDS = {
  plain: "not known to be final", lucky: "right, but not guaranteed", frozen: "frozen, it is final",
};

/** A run with more cells than this shows the current block alone. */
export const MOST_CELLS = 5000;

/** The passes of the block of a step, or of the whole run unless that is too large. */
export function jacobiPasses(model, step, whole) {
  const cells = whole ? model.steps.reduce((sum, pass) => sum + pass.rowAfter.length, 0) : 0;
  if (whole && cells <= MOST_CELLS) return model.steps;
  return model.steps.filter((other) => other.block === step.block);
}

/** "frozen", "lucky" or "plain": place `at` of a block, or of those ahead, after a pass. */
export function jacobiState(model, pass, at) {
  if (at < pass.frozen) return "frozen";
  const final = model.finished ? model.outputs[pass.blockStart + at] : null;
  return final && final.token === pass.rowAfter[at] ? "lucky" : "plain";
}

/** How many tokens of its block are right after a pass; null while the final text is unknown. */
export function rightTokens(model, pass) {
  if (!model.finished) return null;
  return pass.next.filter((_, at) => jacobiState(model, pass, at) !== "plain").length;
}

/** What the whole run gained over one token a pass. */
export function jacobiGain(model) {
  const tokens = model.outputs.length, passes = model.steps.length;
  return `saved ${tokens - passes} of ${tokens} passes`;
}

/** The sheet as SVG: it never moves, only the cursor line does. */
export function jacobiView(model, step, look, lights) {
  const passes = jacobiPasses(model, step, look.whole);
  const x0 = passes[0].blockStart, y0 = passes[0].index;
  const span = Math.max(...passes.map((pass) => pass.blockStart + pass.rowAfter.length)) - x0;
  const digits = String(passes[passes.length - 1].index).length;
  const left = headerPx(look) * (4.4 + 0.7 * digits) + 4, top = look.px * 2;
  const curve = model.finished ? look.px * (look.narrow ? 5 : 6) : 0;
  const room = look.width - left - curve - 6;
  const column = Math.max(room / span, look.px * (look.whole ? 1.5 : 2.2));
  const line = Math.max(look.px * 1.35, Math.min(34, (look.height - top - 6) / (passes.length + 1)));
  const place = { x0, y0, left, top, column, line, rows: passes.length + 1 };
  const end = left + column * span + 6;
  const width = end + curve, height = top + line * place.rows + 4;
  const told = passes.filter((pass) => !asked(look, "plainFrom", pass));
  return h("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "grid", "font-family": look.mono,
    "aria-label": `Jacobi sheet: ${jacobiGain(model)}`,
  }, columnTitles(look, place, span), startRows(model, passes, look, place),
  passes.map((pass) => passRow(model, pass, look, lights, place, step.index)),
  staircase(told, place), diagonals(passes, place),
  curve ? rightCurve(model, told, look, place, { end, curve, now: step.index }) : null);
}

/** Right tokens per pass as a curve at the right of the rows it belongs to. */
function rightCurve(model, passes, look, place, { end, curve, now }) {
  const most = Math.max(1, ...passes.map((pass) => pass.next.length));
  const x = (tokens) => end + 6 + tokens * (curve - look.px * 2.6) / most;
  const y = (pass) => rowY(place, pass.index) + place.line / 2;
  const blocks = [...new Set(passes.map((pass) => pass.block))];
  const shown = passes.filter((pass) => !look.playing || pass.index <= now);
  const small = Math.min(Math.max(10, look.px - 3), place.line * 0.7);
  // a grid holds rows alone; the cells of the rows say the same one by one
  return h("g", { "aria-hidden": true, "font-family": look.font },
  h("text", { x: end + 4, y: place.top - look.px * 0.6, "font-size": Math.max(10, look.px - 3),
    fill: "var(--lv-muted)" }, "right"),
  blocks.map((block) => h("polyline", {
    points: shown.filter((pass) => pass.block === block).map((pass) =>
      `${x(rightTokens(model, pass))},${y(pass)}`).join(" "),
    fill: "none", stroke: "var(--lv-jacobi)", "stroke-width": 2,
  })),
  shown.map((pass) => {
    const right = rightTokens(model, pass);
    return [h("circle", { cx: x(right), cy: y(pass), r: 3, fill: "var(--lv-jacobi)" }),
      h("text", { x: x(right) + 6, y: y(pass) + small * 0.35, "font-size": small,
        fill: "var(--lv-text)" }, `${right}`)];
  }).flat());
}

function columnTitles(look, { x0, left, top, column }, span) {
  const every = column < 22 ? 5 : 1;
  const places = Array.from({ length: span }, (_, i) => i);
  return h("g", { "aria-hidden": true, "font-family": look.font }, places.map((i) =>
    i % every ? null : h("text", {
      x: left + (i + 0.5) * column, y: top - look.px * 0.6, "text-anchor": "middle",
      "font-size": Math.max(10, look.px - 3), fill: "var(--lv-muted)",
    }, `${x0 + i}`)));
}

function rowY(place, y) {
  return place.top + (y - place.y0 + 1) * place.line;
}

function startRows(model, passes, look, place) {
  const label = model.draft ? (text) => `draft of ${model.draft} ‘${text}’`
    : (text) => `start fill ‘${text}’: no model predicted it`;
  return passes.map((pass) => ({ pass, known: knownBefore(model, pass) }))
    .filter(({ pass, known }) => known < pass.rowBefore.length)
    .map(({ pass, known }) => h("g", { role: "row" },
      // later start fill stands in the row of the pass before it, which has its own header
      place.y0 === pass.index ? h("g", { role: "rowheader" }, h("text", {
        x: 0, y: rowY(place, pass.index - 1) + place.line * 0.66,
        "font-size": Math.max(10, look.px - 3), fill: "var(--lv-muted)", "font-family": look.font,
      }, "start")) : null,
      pass.rowBefore.slice(known).map((token, i) => sheetCell({
        text: model.texts[token],
        x: place.left + (pass.blockStart + known + i - place.x0) * place.column,
        y: rowY(place, pass.index - 1), fill: "none", ink: "var(--lv-muted)", place, look,
        label: label(model.texts[token]), ref: null,
      }))));
}

/** How many tokens of a pass's blocks an earlier pass has predicted; the others are start fill. */
export function knownBefore(model, pass) {
  const previous = model.steps[pass.index - 1];
  if (!previous) return 0;
  return previous.rowAfter.length - (pass.iteration ? 0 : previous.next.length);
}

/** The size of "▶ pass 16", which stands left of its row. */
function headerPx(look) {
  return Math.max(11, look.px - 2);
}

function passRow(model, pass, look, lights, place, current) {
  const y = rowY(place, pass.index), now = pass.index === current;
  return h("g", { role: "row", "data-now": now || null },
    h("g", { role: "rowheader", "data-ref": `b:${pass.index}` }, h("text", {
      x: 0, y: y + place.line * 0.66, "font-size": headerPx(look), "font-family": look.font,
      fill: now ? "var(--lv-cursor)" : "var(--lv-text)", "font-weight": now ? "bold" : null,
    }, `${now ? "▶ " : ""}pass ${pass.index}`)),
    pass.rowAfter.map((token, at) => {
      const future = (look.playing && pass.index > current) || asked(look, "blankFrom", pass);
      const plain = future || asked(look, "plainFrom", pass), x = pass.blockStart + at;
      const state = plain ? "plain" : jacobiState(model, pass, at);
      const lit = lights.jacobi && lights.jacobi[0] === x && lights.jacobi[1] === pass.index;
      return sheetCell({
        text: future ? "" : model.texts[token], x: place.left + (x - place.x0) * place.column, y, lit,
        fill: `var(--lv-${state})`, ink: `var(--lv-${state}-text)`, place, look, now,
        changed: token !== pass.rowBefore[at], ref: `j:${x}:${pass.index}`,
        label: `‘${model.texts[token]}’, output token ${x}, pass ${pass.index}: ` +
          STATE_WORDS[state],
      });
    }));
}

/** Is a question open that hides this pass? */
function asked(look, what, pass) {
  return Boolean(look.ask) && look.ask[what] !== null && pass.index >= look.ask[what];
}

function sheetCell({ text, x, y, fill, ink, place, look, label, ref, lit, now, changed }) {
  const width = place.column - 2, height = place.line - 3;
  const frame = { x: x + 1, y: y + 1.5, width, height, rx: 3 };
  return h("g", {
    role: "gridcell", tabindex: -1, "data-ref": ref, "data-cell": "sheet", "aria-label": label,
  }, h("rect", {
    ...frame, fill, stroke: lit || now ? "var(--lv-cursor)" : "var(--lv-outline)",
    "stroke-width": lit ? 3 : now ? 1.6 : 0.7, "stroke-dasharray": changed && !lit ? "2 2" : null,
  }), h("text", {
    x: x + 1 + width / 2, y: y + place.line * 0.66, "text-anchor": "middle", fill: ink,
    "font-size": Math.min(look.px, place.line * 0.62),
  }, shorten(text, roomIn(width, Math.min(look.px, place.line * 0.62)))));
}

/** The frozen frontier: right of it nothing is guaranteed yet. */
function staircase(passes, place) {
  let path = "";
  for (const pass of passes) {
    const x = place.left + (pass.blockStart + pass.frozen - place.x0) * place.column;
    const y = rowY(place, pass.index);
    path += `${path ? "H" : `M${x} ${y}H`}${x}V${y + place.line}`;
  }
  return h("path", { d: path, fill: "none", stroke: "var(--lv-cursor)", "stroke-width": 2.5,
    "aria-hidden": true });
}

/** One token a pass, from the start of each block: what is right of it is gained. */
function diagonals(passes, place) {
  return passes.filter((pass) => pass.iteration === 0).map((pass) => {
    const last = passes.filter((other) => other.block === pass.block).length;
    const x = place.left + (pass.blockStart - place.x0) * place.column;
    let path = `M${x} ${rowY(place, pass.index)}`;
    for (let i = 1; i <= Math.min(pass.next.length, last); i++) {
      path += `H${x + i * place.column}V${rowY(place, pass.index + i)}`;
    }
    return h("path", { d: path, fill: "none", stroke: "var(--lv-text)", "stroke-width": 2,
      "stroke-dasharray": "6 6", "aria-hidden": true });
  });
}

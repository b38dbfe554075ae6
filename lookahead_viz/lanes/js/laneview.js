/** Lanes and their axis as SVG: every token a block as wide as the pass that produced it. */
import { h } from "../../player/js/vdom.js";
import { roomIn, shorten } from "../../player/js/words.js";

const BLOCK_PX = 15, MOST_LANE_PX = 84, TEXT_PX = 11, GLYPH_PX = 9;
const LEAST_TEXT = 26, LEAST_GLYPH = 8;
const GLYPHS = { guess: "✓", draft: "✓", bonus: "★" };

/** How high a lane is: its longest pass, squeezed where it is very long. */
export function laneHeight(lane) {
  return Math.min(MOST_LANE_PX, BLOCK_PX * laneDepth(lane));
}

function laneDepth(lane) {
  return Math.max(1, ...lane.passes.map((pass) => pass.tokens.length));
}

/** The glyph of one token: where it came from, or that it is not greedy's. */
export function tokenGlyph(lane, pass, nth) {
  if (lane.differs === pass.before + nth) return "✗";
  return GLYPHS[pass.sources[nth]] || "";
}

/** One lane. `ends` are the places of its passes, `px` the width of one unit of the axis. */
export function laneSvg(model, lane, ends, look) {
  const height = laneHeight(lane), unit = height / laneDepth(lane);
  const blocks = lane.passes.map((pass, number) => {
    const x0 = (number ? ends[number - 1] : 0) * look.px, x1 = ends[number] * look.px;
    const lit = look.hover && look.hover.lane === lane.index && look.hover.pass === number;
    return passBlocks(model, lane, pass, { x0, x1, height, unit, lit, later: number >= look.done,
      ref: `${lane.index}:${number}` });
  });
  const x = look.cursor * look.px;
  return h("svg", {
    viewBox: `0 0 ${look.width} ${height + 2}`, width: look.width, height: height + 2, role: "img",
    "aria-label": look.label, "font-family": look.mono, class: "lane-svg",
  }, blocks, h("line", { x1: x, x2: x, y1: 0, y2: height + 2, stroke: "var(--lv-cursor)",
    "stroke-width": 2 }));
}

function passBlocks(model, lane, pass, { x0, x1, height, unit, lit, later, ref }) {
  const gap = x1 - x0 > 4 ? 1 : 0, width = Math.max(x1 - x0 - gap, 0.5);
  const all = pass.tokens.length;
  const blocks = pass.tokens.map((token, nth) => {
    const y = height - (all - nth) * unit + 0.5, bad = lane.differs === pass.before + nth;
    const fill = bad ? "off" : lane.fill;
    return [h("rect", {
      x: round2(x0), y: round2(y), width: round2(width), height: round2(unit - 1),
      fill: `var(--lv-${fill})`, "fill-opacity": later ? 0.2 : null,
      stroke: lit || bad ? "var(--lv-cursor)" : null, "stroke-width": lit || bad ? 2 : null,
    }), blockText(model, lane, pass, nth, { x: x0 + width / 2, y, width, unit, later, fill })];
  });
  // a pass may give nothing yet: a thin line says that it was one
  const idle = all ? null : h("rect", { x: round2(x0), y: height - 2, width: round2(width), height: 2,
    fill: "var(--lv-outline)", "fill-opacity": later ? 0.4 : null });
  const area = h("rect", { x: round2(x0), y: 0, width: round2(x1 - x0), height: height + 2,
    fill: "transparent" });
  return h("g", { "data-pass": ref }, area, blocks, idle);
}

function blockText(model, lane, pass, nth, { x, y, width, unit, later, fill }) {
  if (unit < 10) return null;
  const wide = width >= LEAST_TEXT;
  const text = wide ? shorten(model.texts[pass.tokens[nth]], roomIn(width, TEXT_PX))
    : width >= LEAST_GLYPH ? tokenGlyph(lane, pass, nth) : "";
  if (!text) return null;
  return h("text", {
    x: round2(x), y: round2(y + unit / 2 - 0.5), "text-anchor": "middle", "dominant-baseline": "central",
    "font-size": wide ? TEXT_PX : GLYPH_PX, fill: later ? "var(--lv-text)" : `var(--lv-${fill}-text)`,
  }, text);
}

/** The axis below the lanes, with the handle of the cursor. */
export function raceAxis(look, moments, words) {
  const { px, width, total } = look, x = look.cursor * px;
  const step = niceStep(total, look.shown / 90);
  const ticks = [];
  for (let value = 0; value <= total * 1.0001; value += step) ticks.push(value);
  const nearest = moments.filter((moment) => moment <= look.cursor + 1e-9).length - 1;
  return h("svg", {
    viewBox: `0 0 ${width} 30`, width, height: 30, class: "race-axis", role: "slider", tabindex: 0,
    "aria-label": `Cursor along ${words}`, "aria-valuemin": 0,
    "aria-valuemax": Math.max(moments.length - 1, 1), "aria-valuenow": nearest,
    "aria-valuetext": look.here, "data-timeline": "1",
  }, h("rect", { x: 0, y: 0, width, height: 30, fill: "transparent" }),
  h("line", { x1: 0, x2: total * px, y1: 6.5, y2: 6.5, stroke: "var(--lv-outline)" }),
  ticks.map((value) => h("g", {}, h("line", { x1: round2(value * px), x2: round2(value * px), y1: 6,
    y2: 11, stroke: "var(--lv-outline)" }), h("text", { x: round2(value * px), y: 24,
    "text-anchor": value ? "middle" : "start", "font-size": 11, fill: "var(--lv-muted)" },
  tickText(value, step)))),
  h("path", { d: `M${round2(x)} 8l-6 -8h12z`, fill: "var(--lv-cursor)" }));
}

function niceStep(total, most) {
  const rough = total / Math.max(most, 1) || 1, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((times) => times * power).find((value) => value >= rough);
}

function tickText(value, step) {
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

function round2(value) {
  return Math.round(value * 100) / 100;
}

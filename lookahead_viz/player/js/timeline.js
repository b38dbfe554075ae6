/** Accepted tokens per step, by the branch that gave them; click or drag to scrub. */
import { guessesThatWon } from "./run.js";
import { h } from "./vdom.js";

const LEFT = 2;

/** The step under a horizontal place. */
export function stepAt(model, width, x) {
  const share = (x - LEFT) / Math.max(width - 2 * LEFT, 1);
  const last = model.steps.length - 1;
  return Math.max(0, Math.min(last, Math.floor(share * model.steps.length)));
}

/** The bars as three paths: guesses below, the model's own tokens on top, warm-up as a line. */
export function timelineBars(model, width, height) {
  const steps = model.steps.length, bar = (width - 2 * LEFT) / steps;
  const gap = bar > 4 ? 1 : 0;
  let most = 1;
  for (const step of model.steps) most = Math.max(most, step.accepted.length);
  const unit = (height - 6) / most;
  let guesses = "", own = "";
  for (const step of model.steps) {
    const size = step.accepted.length;
    const verified = Math.min(guessesThatWon(step), size);
    const x = LEFT + step.index * bar, w = Math.max(bar - gap, 0.5);
    const y = (tokens) => round(height - tokens * unit);
    const rect = (from, to) => `M${round(x)} ${y(from)}h${round(w)}V${y(to)}h${-round(w)}z`;
    if (verified) guesses += rect(0, verified);
    if (size > verified) own += rect(verified, size);
  }
  return { guesses, own, bar, unit };
}

function round(value) {
  return Math.round(value * 100) / 100;
}

const OWN = { lookahead: "bonus", draft: "bonus", jacobi: "jacobi", greedy: "greedy" };

/** The timeline as two SVGs. `bars` is kept by the caller: it changes with the run and the room. */
export function timelineView(model, state, look, bars) {
  const { width, height } = look;
  const marks = [...state.bookmarks].map((step) => h("path", {
    d: `M${LEFT + (step + 0.5) * bars.bar} 7l-4 -7h8z`, fill: "var(--lv-cursor)",
  }));
  // the bars stay: only the cursor above them is drawn again
  const base = h("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, class: "bars", "aria-hidden": true,
  }, h("path", { d: bars.guesses, fill: "var(--lv-accepted)" }),
  h("path", { d: bars.own, fill: `var(--lv-${OWN[model.kind]})` }),
  h("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, stroke: "var(--lv-outline)" }));
  return [base, h("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, class: "timeline", role: "slider", tabindex: 0,
    "aria-label": "Timeline: tokens accepted per pass", "aria-valuemin": 0,
    "aria-valuemax": model.steps.length - 1, "aria-valuenow": state.step,
    "aria-valuetext": `Step ${state.step} of ${model.steps.length - 1}`, "data-timeline": "1",
  }, cursor(bars, state.step, height), marks)];
}

function cursor(bars, step, height) {
  return h("rect", { x: LEFT + step * bars.bar - 1, y: 0.75, width: Math.max(bars.bar + 2, 4),
    height: height - 1.5, fill: "var(--lv-cursor)", "fill-opacity": 0.2, stroke: "var(--lv-cursor)",
    "stroke-width": 1.5 });
}

const OWN_WORDS = {
  lookahead: "the model's own token", draft: "the model's own token", jacobi: "frozen by a Jacobi pass",
  greedy: "one token a pass",
};
const PICTURE_BARS = 90; // px

/** The same as one SVG, to be saved: with its numbers, and what its colours mean. */
export function timelinePicture(model, state, look, hidden) {
  const { px } = look, width = Math.max(look.width, px * 40), top = px * 3.6;
  const bars = timelineBars(model, width, PICTURE_BARS), last = model.steps.length - 1;
  const most = Math.max(...model.steps.map((step) => step.accepted.length));
  const own = OWN[model.kind], foot = top + PICTURE_BARS;
  const kinds = [[bars.guesses, "accepted", "accepted guesses"], [bars.own, own, OWN_WORDS[model.kind]]]
    .filter(([path]) => path && !hidden);
  const words = (x, y, text, attrs = {}) =>
    h("text", { x, y, "font-size": px, fill: "var(--lv-text)", ...attrs }, text);
  const legend = kinds.map(([, fill, text], i) => [
    h("rect", { x: LEFT + i * px * 15, y: px * 2, width: px, height: px, fill: `var(--lv-${fill})`,
      stroke: "var(--lv-outline)" }),
    words(LEFT + i * px * 15 + px * 1.5, px * 2.9, text)]).flat();
  const height = foot + px * 1.8;
  return h("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": look.font },
    words(LEFT, px * 1.2, `Tokens accepted per pass, at most ${most}. The mark: step ${state.step}`),
    legend, h("g", { transform: `translate(0 ${top})` }, kinds.map(([path, fill]) =>
      h("path", { d: path, fill: `var(--lv-${fill})` })),
    h("line", { x1: 0, x2: width, y1: PICTURE_BARS - 0.5, y2: PICTURE_BARS - 0.5,
      stroke: "var(--lv-outline)" }), cursor(bars, state.step, PICTURE_BARS)),
    words(LEFT, foot + px * 1.2, "step 0"),
    words(width - LEFT, foot + px * 1.2, `step ${last}`, { "text-anchor": "end" }));
}

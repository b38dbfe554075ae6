/** The text so far; the tokens of this step are marked with where they came from. */
import { emittedAfter } from "./run.js";
import { h } from "./vdom.js";
import { columns, paint, shorten } from "./words.js";

const SHOWN = 260, BY = 100;
const SOURCE_MARKS = { guess: "✓", bonus: "★", greedy: "", jacobi: "" };
const SOURCE_FILLS = { guess: "accepted", bonus: "bonus", greedy: "greedy", jacobi: "jacobi" };
const SOURCE_TITLES = {
  guess: "guess of a candidate, accepted", bonus: "the model's own next token",
  greedy: "one token a pass", jacobi: "frozen by a Jacobi pass",
};

/**
 * The text after a step, token by token; `before`: as it was before the step.
 * @returns {{left: number, parts: {token: number, nth: number, kind: string}[]}} `left`: tokens of the
 *   beginning that are left out; `kind`: "prompt", "output" (the `nth` one) or "unsure"
 */
function textParts(model, step, before) {
  const end = before ? step.before : emittedAfter(model, step.index), all = model.prompt.length + end;
  // what is left out grows in leaps, so that most steps only add tokens at the end
  const left = Math.max(0, BY * Math.ceil((all - SHOWN) / BY));
  const parts = Array.from({ length: all - left }, (_, i) => {
    const nth = left + i - model.prompt.length;
    return nth < 0 ? { token: model.prompt[left + i], nth, kind: "prompt" }
      : { token: model.outputs[nth].token, nth, kind: "output" };
  });
  if (model.kind === "jacobi" && !step.discarded.length && !before) {
    parts.push(...step.rowAfter.slice(step.frozen).map((token) =>
      ({ token, nth: -1, kind: "unsure" })));
  }
  return { left, parts };
}

/** The spans of the text after a step, newest last; `before`: as it was before the step. */
export function textView(model, step, lights, before = false) {
  const { left, parts } = textParts(model, step, before);
  return [h("div", { class: "tokens", role: "group", "aria-label": "The text so far" },
    left ? h("span", { class: "prompt" }, leftOut(left)) : null,
    parts.map(({ token, nth, kind }) => kind === "output" ? outputPiece(model, step, nth, lights)
      : kind === "prompt" ? piece(model.texts[token], { class: "prompt" })
        : piece(model.texts[token], { class: "unsure", title: "not guaranteed yet" })))];
}

function leftOut(left) {
  return `… ${left} tokens … `;
}

function outputPiece(model, step, nth, lights) {
  const output = model.outputs[nth], now = output.step === step.index;
  const lit = lights.outputs.has(nth);
  const classes = ["token", now ? `now ${output.source}` : "", lit ? "lit" : ""];
  return piece(model.texts[output.token], {
    class: classes.join(" "), "data-ref": `o:${nth}`, "data-cell": "text", role: "button", tabindex: -1,
    title: `step ${output.step}: ${SOURCE_TITLES[output.source]}`,
    "aria-label": `‘${model.texts[output.token]}’, output token ${nth}, step ${output.step}: ` +
      SOURCE_TITLES[output.source],
  }, now ? SOURCE_MARKS[output.source] : "");
}

function piece(text, attrs, mark = "") {
  const shown = mark ? [text, h("sup", { "aria-hidden": true }, mark)] : [text];
  return [h("span", attrs, ...shown), text.includes("⏎") ? h("br", {}) : h("wbr", {})];
}

/** The same as one SVG, to be saved: lines as wide as the room, a token never over two lines. */
export function textPicture(model, step, look, before) {
  const { px } = look, pad = px / 2, mono = px * 0.605, line = px * 1.6;
  const room = Math.max(Math.floor((look.width - 2 * pad) / mono), 60);
  const { left, parts } = textParts(model, step, before);
  const width = room * mono + 2 * pad, top = line * 1.5;
  const nodes = [];
  let column = 0, row = 0;
  const put = (text, mark, now, attrs) => {
    const size = columns(text) + (mark ? 1 : 0);
    if (column && column + size > room) [column, row] = [0, row + 1];
    const x = pad + column * mono, y = top + row * line;
    nodes.push(now ? h("rect", {
      x, y, width: size * mono, height: line - 3, rx: 3, fill: now.fill, stroke: "var(--lv-outline)",
    }) : null, textAt(x, y + line * 0.66, px, attrs, text),
    mark ? textAt(x + (size - 1) * mono, y + line * 0.48, px * 0.75, attrs, mark) : null);
    column += size;
    if (text.includes("⏎")) [column, row] = [0, row + 1];
  };
  if (left) put(leftOut(left), "", null, { fill: "var(--lv-muted)" });
  for (const { token, nth, kind } of parts) {
    const text = shorten(model.texts[token], room - 1), output = model.outputs[nth];
    const now = kind === "output" && output.step === step.index ? paint(SOURCE_FILLS[output.source]) : null;
    put(text, now ? SOURCE_MARKS[output.source] : "", now, {
      fill: now ? now.ink : `var(--lv-${kind === "output" ? "text" : "muted"})`,
      "font-style": kind === "unsure" ? "italic" : null,
    });
  }
  const height = top + (row + (column ? 1 : 0)) * line + pad;
  return h("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": look.mono },
    h("text", { x: pad, y: px * 1.3, "font-size": px, "font-family": look.font, fill: "var(--lv-text)" },
      `The text ${before ? "before" : "after"} step ${step.index}`), nodes);
}

function textAt(x, y, px, attrs, text) {
  return h("text", { x, y, "font-size": px, "xml:space": "preserve", ...attrs }, text);
}

/** The text so far; the tokens of this step are marked with where they came from. */
import { emittedAfter } from "./run.js";
import { h } from "./vdom.js";

const SHOWN = 260, BY = 100;
const SOURCE_MARKS = { guess: "✓", bonus: "★", greedy: "", jacobi: "" };
const SOURCE_TITLES = {
  guess: "guess of a candidate, verified", bonus: "the model's own next token",
  greedy: "one token a pass", jacobi: "frozen by a Jacobi pass",
};

/** The spans of the text after a step, newest last; `before`: as it was before the step. */
export function textView(model, step, lights, before = false) {
  const end = before ? step.before : emittedAfter(model, step.index), all = model.prompt.length + end;
  // what is left out grows in leaps, so that most steps only add tokens at the end
  const from = Math.max(0, BY * Math.ceil((all - SHOWN) / BY));
  const spans = [];
  for (let i = from; i < all; i++) {
    const nth = i - model.prompt.length;
    spans.push(...nth < 0 ? piece(model.texts[model.prompt[i]], { class: "prompt" })
      : outputPiece(model, step, nth, lights));
  }
  if (model.kind === "jacobi" && !step.discarded.length && !before) {
    step.rowAfter.slice(step.frozen).forEach((token) => {
      spans.push(...piece(model.texts[token], { class: "unsure", title: "not guaranteed yet" }));
    });
  }
  return [h("div", { class: "tokens", role: "group", "aria-label": "The text so far" },
    from ? h("span", { class: "prompt" }, `… ${from} tokens … `) : null, spans)];
}

function outputPiece(model, step, nth, lights) {
  const output = model.outputs[nth], now = output.step === step.index;
  const lit = lights.outputs.has(nth);
  const classes = ["token", now ? `now ${output.source}` : "", lit ? "lit" : ""];
  return piece(model.texts[output.token], {
    class: classes.join(" "), "data-ref": `o:${nth}`, "data-cell": "text", role: "button", tabindex: -1,
    title: `step ${output.step}: ${SOURCE_TITLES[output.source]}`,
  }, now ? SOURCE_MARKS[output.source] : "");
}

function piece(text, attrs, mark = "") {
  const shown = mark ? [text, h("sup", { "aria-hidden": true }, mark)] : [text];
  return [h("span", attrs, ...shown), text.includes("⏎") ? h("br", {}) : h("wbr", {})];
}

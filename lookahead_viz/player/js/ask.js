/** A question about the picture: its answer stays hidden until the reader has clicked. */
import { noLights } from "./links.js";
import { quoted, slotName } from "./sentences.js";
import { h } from "./vdom.js";

/**
 * What the page asks. The page judges the answers (`lessons/`); the player hides, reports, marks.
 * @typedef {object} Ask
 * @property {number} step the step that is asked about
 * @property {string} text
 * @property {string} kinds first letters of the things that can be the answer, as in links.js
 * @property {string[]} choices answers that are no thing of the picture, as buttons
 * @property {string[]} hide "verdict" (of the candidates), "text" (of this step)
 * @property {number|null} plainFrom  Jacobi passes from here on are drawn without their state
 * @property {number|null} blankFrom  and from here on without their tokens
 * @property {boolean} open nobody has answered it yet
 * @property {Object<string, string>} marks thing -> "right" or "wrong"
 * @property {string[]} said what the page says to the answers so far
 */

/** The question that hides its answer at this step of the reader; null when there is none. */
export function asking(state) {
  const { ask } = state;
  if (!ask || !ask.open) return null;
  return ask.plainFrom !== null || ask.step === state.step ? ask : null;
}

export function hides(look, what) {
  return Boolean(look.ask && look.ask.hide.includes(what));
}

/** While a question is open, a thing that is pointed at tells nothing but where it is. */
export function pointed(step, ref) {
  const lights = noLights();
  const found = /^([semgonj]):(\d+)(?::(-?\d+))?/.exec(ref || "");
  if (!found) return lights;
  const kind = found[1], first = Number(found[2]);
  if (kind === "s") lights.slots.add(first);
  else if (kind === "g") for (const slot of ref.slice(2).split(",")) lights.slots.add(Number(slot));
  else if (kind === "e") lights.entering.add(first);
  else if (kind === "o") lights.outputs.add(first);
  else if (kind === "m") lights.cell = [first, Number(found[3])];
  else if (kind === "j") lights.jacobi = [first, Number(found[3])];
  else for (let r = 0; r < step.R; r++) lights.slots.add(r * step.C + first);
  return lights;
}

/** What is pointed at and where it is, no more: cells may be too narrow for their texts. */
export function pointedAt(model, step, { ask, hover }) {
  const [kind, ...rest] = (hover || "").split(/[:,]/);
  const [x, y] = rest.map(Number), { layout, tokens } = step;
  const named = (slot) => slot >= 0 && slot < layout.slots
    ? `${quoted(model, tokens[slot])} (${slotName(layout, slot)})` : "the text in the cache";
  if (kind === "s" || kind === "g") return named(x);
  if (kind === "m") return `line ${named(x)}, column ${named(y)}`;
  if (kind === "e" && x < step.predictions.length) {
    return `${quoted(model, step.predictions[x])} (prediction of column ${x})`;
  }
  if (kind === "o" && model.outputs[x]) return quoted(model, model.outputs[x].token);
  const pass = kind === "j" ? model.steps[y] : null;
  const blank = ask.blankFrom !== null && y >= ask.blankFrom;
  if (!pass || blank || pass.next[x - pass.blockStart] === undefined) return "";
  return `${quoted(model, pass.next[x - pass.blockStart])} (output token ${x}, pass ${y})`;
}

/** The question, its buttons and what was said, in the place of the sentence of the step. */
export function askView(model, step, state, sentence) {
  const { ask } = state;
  if (ask.step !== state.step) {
    return h("div", { class: "ask" }, h("p", { role: "status" }, ask.open ? "" : sentence),
      h("p", {}, h("button", { type: "button", "data-do": "asked step" },
        `The question is about step ${ask.step}: go there`)));
  }
  return h("div", { class: "ask", role: "group", "aria-label": "Question" },
    h("p", { class: "asked" }, ask.text),
    ask.open ? h("p", { class: "quiet pointed", "aria-hidden": true },
      pointedAt(model, step, state)) : null,
    ask.choices.length ? h("p", { class: "choices" }, ask.choices.map((choice) => h("button", {
      type: "button", "data-pick": `c:${choice}`, "data-mark": ask.marks[`c:${choice}`] || null,
      disabled: ask.open ? null : "disabled",
    }, choice))) : null,
    h("div", { class: "said", role: "status", "aria-live": "polite" },
      ask.said.map((text) => h("p", {}, text))));
}

/** A node of the tree stands for the slots of all candidates that share it. */
function standsFor(shown, ref) {
  if (shown === ref) return true;
  return shown[0] === "g" && ref[0] === "s" && shown.slice(2).split(",").includes(ref.slice(2));
}

/** Mark the answers on whatever stands for them. */
export function markAnswers(root, state) {
  const { ask } = state;
  const marks = ask && (ask.step === state.step || ask.plainFrom !== null) ? ask.marks : {};
  for (const element of root.querySelectorAll("[data-answer]")) {
    element.removeAttribute("data-answer");
  }
  for (const [ref, mark] of Object.entries(marks)) {
    for (const element of root.querySelectorAll("[data-ref]")) {
      if (standsFor(element.dataset.ref, ref)) element.setAttribute("data-answer", mark);
    }
  }
}

/** The answers among the cells of the mask, on the canvas above it. */
export function markMask(canvas, geometry, state, look) {
  const { ask } = state;
  if (!ask || ask.step !== state.step) return;
  const context = canvas.getContext("2d");
  const { left, top, cell, prefix } = geometry;
  for (const [ref, mark] of Object.entries(ask.marks)) {
    const found = /^m:(\d+):(-?\d+)$/.exec(ref);
    if (!found) continue;
    const x = left + (prefix + Number(found[2])) * cell, y = top + Number(found[1]) * cell;
    context.lineWidth = 3;
    context.setLineDash(mark === "right" ? [] : [4, 3]);
    context.strokeStyle = look.theme[mark === "right" ? "text" : "cursor"];
    context.strokeRect(x - 1, y - 1, cell + 1, cell + 1);
    context.setLineDash([]);
  }
}

/** What a thing is and what belongs to it: one answer for all views. */
import { emittedAfter, holdersOf } from "./run.js";
import { cellLines, columnNgram, windowCell } from "./history.js";
import { addColumn, addOrigin, lightEntry, lightOutput } from "./origins.js";
import { RULE_NAMES, rule } from "./rules.js";
import {
  drawSentence, isGuess, quoted, readRow, slotName, stepSentence, why, whyCommitted,
} from "./sentences.js";

/**
 * Things have short names: s:slot, e:column (a prediction), n:column (an n-gram), m:row:column (a
 * mask cell; column -1 = committed), g:slot,slot (a tree node), p:entry, o:output, b:step, j:x:y.
 *
 * @typedef {object} Lights
 * @property {Set<number>} slots  @property {Set<number>} cols
 * @property {Set<number>} entries @property {Set<number>} outputs
 * @property {number[]|null} cell  mask row and column  @property {number|null} row
 * @property {string} title  @property {{text:string, go?:{step:number, ref:string}}[]} lines
 */

export function noLights() {
  return {
    slots: new Set(), cols: new Set(), entering: new Set(), entries: new Set(), outputs: new Set(),
    steps: new Set(), cell: null, row: null, title: "", lines: [],
  };
}

/** Everything that `ref` lights up at a step; null when there is no such thing at that step. */
export function lightsOf(model, step, ref) {
  if (!ref) return null;
  const [kind, ...rest] = ref.split(":");
  const numbers = rest.join(":").split(/[:,]/).map(Number);
  const lights = noLights();
  const known = KINDS[kind] && KINDS[kind](model, step, lights, numbers);
  return known ? lights : null;
}

const KINDS = {
  s: lightSlot,
  e: lightPrediction,
  n: lightNgram,
  m: lightMaskCell,
  g: lightTreeNode,
  p: (model, step, lights, [id]) => lightEntry(model, step, lights, model.pooled.entries[id]),
  o: lightOutput,
  b: lightStep,
  j: lightJacobiCell,
};

function lightSlot(model, step, lights, [slot]) {
  const { layout } = step;
  if (!(slot < layout.slots)) return false;
  lights.slots.add(slot);
  lights.row = slot;
  if (isGuess(layout, slot)) return lightGuess(model, step, lights, slot);
  if (model.kind === "lookahead") {
    const row = layout.rows[slot], col = layout.cols[slot];
    const cell = windowCell(model, step, row, col);
    const [title, ...lines] = cellLines(model, step, cell);
    lights.title = title;
    lines.forEach((text) => lights.lines.push({ text }));
    for (const [g, j] of holdersOf(step, slot).slice(0, 1)) {
      const what = verdict(model, step, g, j);
      lights.lines.push({ text: `verified too, candidate ${g + 1}, guess ${j + 1}: ${what}` });
    }
    addMaker(lights, cell);
    addColumn(model, step, lights, col);
    addOutputAt(model, step, lights, cell.position);
  } else {
    lights.title = `${quoted(model, step.tokens[slot])} · slot ${slot}`;
  }
  lights.lines.push({ text: readRow(model, step, slot) });
  return true;
}

function addMaker(lights, cell) {
  if (cell.maker === null || !cell.age) return;
  lights.lines.push({
    text: `→ step ${cell.madeAt}, where it was predicted`,
    go: { step: cell.madeAt, ref: `e:${cell.maker}` },
  });
}

function addOutputAt(model, step, lights, position) {
  const output = position - model.prompt.length;
  if (output >= 0 && output < emittedAfter(model, step.index)) lights.outputs.add(output);
}

function lightGuess(model, step, lights, slot) {
  const [[g, j], ...others] = holdersOf(step, slot);
  lights.title = `${quoted(model, step.tokens[slot])} · candidate ${g + 1}, guess ${j + 1}`;
  lights.lines.push({ text: verdict(model, step, g, j) });
  const entry = step.entries[g];
  if (entry) addOrigin(model, step, lights, entry);
  if (g === step.winner && j < Math.min(step.matched[g], step.accepted.length)) {
    lights.outputs.add(step.before + j);
  }
  if (others.length) {
    const which = [g, ...others.map(([other]) => other)].sort((a, b) => a - b);
    const names = which.map((other) => other + 1).join(", ");
    lights.lines.push({ text: `one slot for candidates ${names}, which begin alike` });
  }
  lights.lines.push({ text: readRow(model, step, slot) });
  return true;
}

/** How one guess fared, in one sentence. */
export function verdict(model, step, g, j) {
  if (step.draws.length) return drawnVerdict(step, g, j);
  const matched = step.matched[g];
  const own = [step.expected, ...step.candidatePredictions[g]];
  if (j < matched) {
    if (g === step.winner) {
      return j < step.accepted.length ? "✓ accepted: it is the model's own next token"
        : "proven, but the run ends before it";
    }
    return "✓ matches, but an equal or longer match won";
  }
  if (j > matched) return "after the first mismatch: its context is wrong, so it is not looked at";
  const wanted = quoted(model, own[j]);
  if (own[j] === step.candidates[g][j]) return `★ the model's own token is ${wanted}, the same`;
  return `✗ first mismatch: the model wants ${wanted}`;
}

/** The same in a sampled run: what was drawn for it. */
function drawnVerdict(step, g, j) {
  const draw = step.draws.find((one) => one.depth === j && one.candidates.includes(g));
  if (draw) return `${draw.accepted ? "✓" : "✗"} ${drawSentence(draw)}`;
  return j > step.matched[g] ? "after a rejected guess: never reached"
    : "not asked: the sampled text went another way";
}

function lightPrediction(model, step, lights, [col]) {
  if (model.kind !== "lookahead" || !(col < step.predictions.length)) return false;
  lights.entering.add(col);
  const [title, ...lines] = cellLines(model, step, windowCell(model, step, step.R, col));
  lights.title = title;
  lines.forEach((text) => lights.lines.push({ text }));
  addColumn(model, step, lights, col);
  return true;
}

function lightNgram(model, step, lights, [col]) {
  if (model.kind !== "lookahead" || !(col < step.C)) return false;
  lights.title = `Column ${col}`;
  for (let r = 0; r < step.R; r++) lights.slots.add(r * step.C + col);
  lights.entering.add(col);
  addColumn(model, step, lights, col);
  if (!columnNgram(step, col)) lights.lines.push({ text: "warm-up: no n-gram enters yet" });
  return true;
}

function lightMaskCell(model, step, lights, [q, k]) {
  const { layout } = step;
  if (!(q < layout.slots) || !(k < layout.slots)) return false;
  lights.slots.add(q);
  lights.cell = [q, k];
  lights.row = q;
  if (k < 0) {
    lights.title = `✓ ${whyCommitted(step)}`;
  } else {
    lights.slots.add(k);
    const reason = rule(layout, q, k);
    const [mark, verb] = reason[0] === "R" ? ["✓", "may read"] : ["✗", "may not read"];
    lights.title = `${quoted(model, step.tokens[q])} (${slotName(layout, q)}) ${verb} ` +
      `${quoted(model, step.tokens[k])} (${slotName(layout, k)})`;
    lights.lines.push({ text: `${mark} ${why(model, step, q, k)}`, strong: true });
    lights.lines.push({ text: `${reason}: ${RULE_NAMES[reason]}` });
  }
  lights.lines.push({ text: readRow(model, step, q) });
  return true;
}

function lightTreeNode(model, step, lights, slots) {
  if (!slots.every((slot) => slot < step.layout.slots)) return false;
  if (!isGuess(step.layout, slots[0])) return lightSlot(model, step, lights, [slots[0]]);
  // of candidates that share a node, the winner has the most to tell
  const chosen = slots.find((slot) => holdersOf(step, slot)[0][0] === step.winner) ?? slots[0];
  lightGuess(model, step, lights, chosen);
  slots.forEach((slot) => lights.slots.add(slot));
  for (const slot of slots) {
    for (const [g] of holdersOf(step, slot)) {
      if (step.entries[g]) lights.entries.add(step.entries[g].id);
    }
  }
  lights.row = chosen;
  if (slots.length > 1) {
    const which = slots.flatMap((slot) => holdersOf(step, slot).map(([g]) => g + 1)).join(", ");
    lights.lines.unshift({ text: `shared by candidates ${which}: each has its own line of the mask` });
  }
  return true;
}

function lightStep(model, step, lights, [index]) {
  const other = model.steps[index];
  if (!other) return false;
  lights.steps.add(index);
  other.accepted.forEach((_, nth) => lights.outputs.add(other.before + nth));
  lights.title = stepSentence(model, other);
  return true;
}

function lightJacobiCell(model, step, lights, [x, y]) {
  const pass = model.steps[y];
  if (!pass || model.kind !== "jacobi") return false;
  lights.jacobi = [x, y];
  const at = x - pass.blockStart;
  const before = pass.rowBefore[at], token = pass.rowAfter[at];
  const final = model.finished && model.outputs[x] ? model.outputs[x].token : undefined;
  const which = at < pass.next.length ? "block" : "ahead of block";
  lights.title = `${quoted(model, token)} · output token ${x}, ${which} ${pass.block + 1}, ` +
    `iteration ${pass.iteration}`;
  const state = at < pass.frozen ? "frozen: guaranteed final" :
    token === final ? "lucky: already the final token, but not guaranteed yet" :
    final !== undefined ? `not the final token, which is ${quoted(model, final)}` : "";
  if (state) lights.lines.push({ text: state });
  const place = at - (pass.frozen - pass.accepted.length - pass.discarded.length);
  for (const draw of pass.draws.filter((one) => one.depth === place)) {
    lights.lines.push({ text: `${quoted(model, draw.token)}: ${drawSentence(draw)}` });
  }
  if (before !== token) {
    const left = before === final ? ", the final token" : "";
    lights.lines.push({ text: `changed: one pass ago it was ${quoted(model, before)}${left}` });
  }
  if (y !== step.index) {
    lights.lines.push({ text: `→ step ${y}`, go: { step: y, ref: `j:${x}:${y}` } });
  }
  if (x < emittedAfter(model, step.index)) lights.outputs.add(x);
  return true;
}

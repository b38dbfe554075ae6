/** The payload of `payload.py`, unpacked into one object per step. */
import { layoutOf, mergedLayout } from "./rules.js";

/**
 * @typedef {object} Step
 * @property {number} index
 * @property {number} position of slot 0: how many tokens are in the cache
 * @property {object} layout
 * @property {number[]} tokens one per slot
 * @property {number[]} predictions after the last window row, by column; empty where unused
 * @property {number[]} accepted
 * @property {number} before output tokens before this step
 */

/** Unpack a payload. Every step is unpacked at once: a window follows from the one before. */
export function readRun(data) {
  const model = {
    ...data,
    texts: data.texts,
    steps: [],
    outputs: [],
    finished: data.finish === "length" || data.finish === "stop",
    alternatives: null,
  };
  for (const sent of data.steps) addStep(model, sent);
  return model;
}

function addStep(model, sent) {
  const index = model.steps.length, before = model.outputs.length;
  const previous = model.steps[index - 1];
  const accepted = sent.a;
  const step = {
    index, before, accepted, discarded: sent.d || [], changes: [], candidates: [],
    candidatePredictions: [], candidateSlots: [], pooled: 0, matched: [], winner: null,
    predictions: [], draws: (sent.u || []).map(readDraw),
  };
  if (model.kind === "lookahead") readLookahead(model, step, sent, previous);
  else if (model.kind === "jacobi") readJacobi(model, step, sent, previous);
  else if (model.kind === "draft") readDraft(model, step, sent);
  else readGreedy(model, step);
  accepted.forEach((token, nth) => {
    model.outputs.push({ token, step: index, nth, source: sourceOf(model, step, nth) });
  });
  model.steps.push(step);
}

function currentToken(model) {
  const outputs = model.outputs;
  return outputs.length ? outputs[outputs.length - 1].token : model.prompt[model.prompt.length - 1];
}

function readGreedy(model, step) {
  step.position = model.prompt.length + step.before - 1;
  step.layout = layoutOf(1, 1, 0, 0);
  step.tokens = [currentToken(model)];
  step.expected = step.accepted[0];
}

function readJacobi(model, step, sent, previous) {
  const first = Boolean(sent.y);
  step.iterate = sent.y || previous.next;
  step.next = sent.n;
  step.frozen = sent.f;
  step.block = first ? (previous ? previous.block + 1 : 0) : previous.block;
  step.iteration = first ? 0 : previous.iteration + 1;
  step.blockStart = first ? step.before : previous.blockStart;
  step.draftPasses = sent.dp || 0;
  step.ahead = sent.h || [];
  // the tokens of all blocks in flight before and after the pass
  step.rowBefore = step.iterate.concat(...step.ahead);
  step.rowAfter = step.next.concat(...(sent.g || []));
  if (model.blocks) return readBlocks(model, step, sent);
  step.position = model.prompt.length + step.blockStart - 1;
  const current = first ? currentToken(model) : previous.tokens[0];
  step.tokens = [current, ...step.iterate.slice(0, -1)];
  step.layout = layoutOf(1, step.tokens.length, 0, 0);
  step.predictions = sent.p || step.next;
  step.expected = step.predictions[0];
}

/** Multi-block Jacobi: the row begins at the last accepted token, candidates stand behind it. */
function readBlocks(model, step, sent) {
  const done = step.frozen - step.accepted.length - step.discarded.length;
  step.position = model.prompt.length + step.before - 1;
  const row = [currentToken(model), ...step.rowBefore.slice(done, -1)];
  step.byCandidate = Boolean(sent.b);
  readCandidates(model, step, sent, row);
  step.predictions = sent.p;
  step.expected = sent.p[0];
  step.changes = sent.o.map((change, number) => readChange(step, change, number));
}

function readDraft(model, step, sent) {
  step.position = model.prompt.length + step.before - 1;
  step.draftPasses = sent.dp || 0;
  step.copiedFrom = sent.k ?? null;
  readCandidates(model, step, sent, [currentToken(model)]);
  step.predictions = [];
  step.expected = sent.e;
}

/** One window row, and candidates of one length behind it. */
function readCandidates(model, step, sent, row) {
  step.R = 1;
  step.C = row.length;
  step.matched = sent.m || [];
  step.pooled = step.matched.length;
  const size = step.pooled ? sent.c.length / step.pooled : 0;
  placeCandidates(model, step, row, chunks(sent.c || [], size), size);
  step.candidatePredictions = chunks(sent.q || [], size);
  step.winner = step.pooled ? step.matched.indexOf(Math.max(...step.matched)) : null;
}

function readLookahead(model, step, sent, previous) {
  step.position = model.prompt.length + step.before - 1;
  const [rows, window] = sent.w ? [sent.r, sent.w] : followingWindow(model, previous);
  const cols = window.length / rows;
  const matched = sent.m || [], flat = sent.c || [], read = sent.v || [];
  step.pooled = matched.length - read.length;
  const size = step.pooled ? flat.length / step.pooled : 0;
  step.R = rows;
  step.C = cols;
  step.phase = phaseOf(model, rows, cols);
  placeCandidates(model, step, window, chunks(flat, size), size);
  step.predictions = step.phase === "alone" ? [] : sent.p || [sent.e];
  step.expected = sent.e;
  step.candidates.push(...read.map((slots) => slots.map((slot) => step.tokens[slot])));
  step.candidateSlots.push(...read);
  step.candidatePredictions = chunks(sent.q || [], size).concat(sent.vq || []);
  step.matched = matched;
  step.winner = matched.length ? matched.indexOf(Math.max(...matched)) : null;
  step.changes = (sent.o || []).map((change, number) => readChange(step, change, number));
}

/** The layout, and where the candidates from the pool stand in it. */
function placeCandidates(model, step, window, candidates, size) {
  const { R, C } = step;
  step.candidates = [...candidates];
  step.tokens = [...window];
  if (!model.merge) {
    step.layout = layoutOf(R, C, candidates.length, size);
    step.tokens.push(...candidates.flat());
    step.candidateSlots = candidates.map((tail, g) => tail.map((_, j) => R * C + g * size + j));
    return;
  }
  const [layout, slots] = mergedLayout(R, C, candidates);
  step.layout = layout;
  step.candidateSlots = [...slots];
  for (let slot = R * C; slot < layout.slots; slot++) {
    step.tokens.push(candidates[layout.rows[slot]][layout.cols[slot]]);
  }
}

function readDraw([depth, token, threshold, drawn, accepted, candidates]) {
  return { depth, token, threshold, drawn, accepted: Boolean(accepted), candidates };
}

/** Who has this slot as a guess: [candidate, guess], the winner first. */
export function holdersOf(step, slot) {
  const found = [];
  step.candidateSlots.forEach((slots, g) => {
    const j = slots.indexOf(slot);
    if (j >= 0) found[g === step.winner ? "unshift" : "push"]([g, j]);
  });
  return found;
}

/** The model's own token after a slot; undefined where it was not asked for. */
export function predictionAt(step, slot) {
  const [holder] = holdersOf(step, slot);
  if (holder) return step.candidatePredictions[holder[0]][holder[1]];
  const first = (step.layout.R - 1) * step.layout.C;
  return slot === 0 ? step.expected : slot >= first ? step.predictions[slot - first] : undefined;
}

function phaseOf(model, rows, cols) {
  if (rows === model.N - 1 && cols === model.W) return "full";
  return rows === 1 && cols === 1 ? "alone" : "warm-up";
}

function followingWindow(model, previous) {
  const { R, C, tokens, predictions } = previous;
  const window = tokens.slice(0, R * C);
  const grows = R < model.N - 1;
  const grid = chunks(window, C).concat([predictions]);
  const rows = grows ? grid.map((row) => row.slice(1)) : grid.slice(1);
  rows[0] = [previous.accepted[previous.accepted.length - 1], ...rows[0].slice(1)];
  return [rows.length, rows.flat()];
}

function chunks(flat, size) {
  const found = [];
  for (let i = 0; size && i < flat.length; i += size) found.push(flat.slice(i, i + size));
  return found;
}

function readChange(step, change, number) {
  if (typeof change === "object" && !Array.isArray(change)) {
    return {
      key: change.k, tail: change.t, source: change.s, added: !change.again,
      ignored: change.again === 2, evicted: change.x || null, col: change.col ?? null,
    };
  }
  const column = [];
  for (let r = 0; r < step.R; r++) column.push(step.tokens[r * step.C + number]);
  const [key, ...tail] = [...column, step.predictions[number]];
  return {
    key, tail, source: "window", added: change !== 0 && change !== 2, ignored: change === 2,
    evicted: Array.isArray(change) ? change : null, col: number,
  };
}

/** Where the nth accepted token of a step came from. */
export function sourceOf(model, step, nth) {
  const guess = nth < guessesThatWon(step);
  if (model.kind === "lookahead" || model.kind === "draft") return guess ? "guess" : "bonus";
  return guess ? "guess" : model.kind;
}

/** How many proven tokens are guesses of the candidate that won; 0 where the row won. */
export function guessesThatWon(step) {
  return step.winner === null || step.byCandidate === false ? 0 : step.matched[step.winner];
}

/** Unpack the alternatives, once; resolves to [{slot -> [[token, probability]]}] by step. */
export async function unpackAlternatives(model) {
  if (model.alternatives || !model.packed) return model.alternatives;
  const bytes = Uint8Array.from(atob(model.packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const found = JSON.parse(await new Response(stream).text());
  model.texts = model.texts.concat(found.texts);
  model.alternatives = found.steps.map((entries) => {
    const table = new Map();
    for (const [slot, tokens, probabilities] of entries) {
      table.set(slot, tokens.map((token, i) => [token, probabilities[i]]));
    }
    return table;
  });
  return model.alternatives;
}

/** The final text at an absolute position; undefined beyond it. */
export function textTokenAt(model, position) {
  const prompt = model.prompt;
  if (position < prompt.length) return prompt[position];
  const output = model.outputs[position - prompt.length];
  return output ? output.token : undefined;
}

/** How many output tokens there are after a step. */
export function emittedAfter(model, index) {
  const step = model.steps[index];
  return step.before + step.accepted.length;
}

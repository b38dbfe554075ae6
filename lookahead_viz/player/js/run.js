/** The payload of `payload.py`, unpacked into one object per step. */
import { layoutOf } from "./rules.js";

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
    candidatePredictions: [], matched: [], winner: null, predictions: [],
  };
  if (model.method === "lookahead") readLookahead(model, step, sent, previous);
  else if (model.method === "jacobi") readJacobi(model, step, sent, previous);
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
  step.position = model.prompt.length + step.blockStart - 1;
  const current = first ? currentToken(model) : previous.tokens[0];
  step.tokens = [current, ...step.iterate.slice(0, -1)];
  step.layout = layoutOf(1, step.tokens.length, 0, 0);
  step.predictions = step.next;
  step.expected = step.next[0];
}

function readLookahead(model, step, sent, previous) {
  step.position = model.prompt.length + step.before - 1;
  const [rows, window] = sent.w ? [sent.r, sent.w] : followingWindow(model, previous);
  const cols = window.length / rows;
  const matched = sent.m || [], flat = sent.c || [];
  const size = matched.length ? flat.length / matched.length : 0;
  step.R = rows;
  step.C = cols;
  step.phase = phaseOf(model, rows, cols);
  step.tokens = window.concat(flat);
  step.layout = layoutOf(rows, cols, matched.length, size);
  step.predictions = step.phase === "alone" ? [] : sent.p || [sent.e];
  step.expected = sent.e;
  step.candidates = chunks(flat, size);
  step.candidatePredictions = chunks(sent.q || [], size);
  step.matched = matched;
  step.winner = matched.length ? matched.indexOf(Math.max(...matched)) : null;
  step.changes = (sent.o || []).map((change, number) => readChange(step, change, number));
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
      evicted: change.x || null, col: null,
    };
  }
  const column = [];
  for (let r = 0; r < step.R; r++) column.push(step.tokens[r * step.C + number]);
  const [key, ...tail] = [...column, step.predictions[number]];
  return {
    key, tail, source: "window", added: change !== 0,
    evicted: Array.isArray(change) ? change : null, col: number,
  };
}

/** Where the nth accepted token of a step came from. */
export function sourceOf(model, step, nth) {
  if (model.method === "lookahead") {
    return step.winner !== null && nth < step.matched[step.winner] ? "guess" : "bonus";
  }
  return model.method;
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

/** The life of every n-gram of the pool, and where every output token came from. */
import { guessesThatWon } from "./run.js";

/**
 * @typedef {object} Entry one stay of an n-gram in the pool
 * @property {number} id
 * @property {number} key  @property {number[]} tail
 * @property {{step:number, col:number|null, source:string, order:number}[]} inserted the first
 *   is the addition, the others refreshed it
 * @property {{step:number, candidate:number}[]} tried
 * @property {{step:number, matched:number}[]} won steps whose accepted tokens it gave
 * @property {number|null} evicted the step whose insertions threw it out
 */

/** Fold all pool changes once. Step -1 is the prompt. */
export function buildProvenance(model) {
  const found = {
    entries: [], byKey: new Map(), live: new Map(), made: new Map(), sizes: [], count: 0,
  };
  for (const change of model.pool) insert(found, readPrompt(change), -1);
  for (const step of model.steps) {
    found.sizes.push(found.live.size);
    tryCandidates(found, step);
    for (const change of step.changes) insert(found, change, step.index);
  }
  return found;
}

function readPrompt(change) {
  return {
    key: change.k, tail: change.t, source: change.s, added: !change.again,
    ignored: change.again === 2, evicted: change.x || null, col: null,
  };
}

function name(key, tail) {
  return `${key}:${tail.join(",")}`;
}

function insert(found, change, step) {
  if (change.evicted) {
    const gone = name(change.key, change.evicted);
    const entry = found.live.get(gone);
    if (entry) entry.evicted = step;
    found.live.delete(gone);
  }
  let entry = found.live.get(name(change.key, change.tail));
  if (!change.ignored) {
    const event = { step, col: change.col, source: change.source, order: found.count++ };
    if (entry) entry.inserted.push(event);
    else entry = addEntry(found, change, event);
  }
  if (change.col !== null) found.made.set(`${step}:${change.col}`, entry);
}

function addEntry(found, change, event) {
  const entry = {
    id: found.entries.length, key: change.key, tail: change.tail, inserted: [event],
    tried: [], won: [], evicted: null,
  };
  found.entries.push(entry);
  found.live.set(name(entry.key, entry.tail), entry);
  if (!found.byKey.has(entry.key)) found.byKey.set(entry.key, []);
  found.byKey.get(entry.key).push(entry);
  return entry;
}

function tryCandidates(found, step) {
  step.entries = step.candidates.map((tail, candidate) => {
    if (candidate >= step.pooled) return null; // read from the window
    const entry = found.live.get(name(step.tokens[0], tail)) || null;
    if (entry) entry.tried.push({ step: step.index, candidate });
    return entry;
  });
  const winner = step.winner === null ? null : step.entries[step.winner];
  const matched = winner ? Math.min(guessesThatWon(step), step.accepted.length) : 0;
  if (matched) winner.won.push({ step: step.index, matched });
}

/** Was the entry in the pool when step `index` looked into it? */
export function isLive(entry, index) {
  return entry.inserted[0].step < index && (entry.evicted === null || entry.evicted >= index);
}

/** The last insertion of an entry before step `index`. */
export function lastInsertion(entry, index) {
  let found = entry.inserted[0];
  for (const event of entry.inserted) if (event.step < index) found = event;
  return found;
}

/** The n-grams of `key` as step `index` found them, oldest first. */
export function poolOfKey(provenance, key, index) {
  const live = (provenance.byKey.get(key) || []).filter((entry) => isLive(entry, index));
  const order = (entry) => lastInsertion(entry, index).order;
  return live.sort((a, b) => order(a) - order(b));
}

/**
 * Where an output token came from: the step, and for a guess the candidate, the pool entry, the
 * insertion that it was read from and the window column that made it.
 */
export function originOf(model, index) {
  const output = model.outputs[index], step = model.steps[output.step];
  const origin = { ...output, candidate: null, entry: null, insertion: null };
  if (output.source !== "guess") return origin;
  origin.candidate = step.winner;
  origin.entry = step.entries ? step.entries[step.winner] : null;
  if (origin.entry) origin.insertion = lastInsertion(origin.entry, step.index);
  return origin;
}

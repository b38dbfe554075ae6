/** The race's data, unpacked: lanes of passes, and how long each is on the axis of the moment. */

export const RACE_AXES = {
  passes: { name: "passes", unit: "passes of the model" },
  slots: { name: "slots fed", unit: "slots fed (tokens computed)" },
  modelled: { name: "modelled time", unit: "modelled time (1 = a pass that feeds one token)" },
  time: { name: "measured time", unit: "measured time in seconds" },
};
export const MOST_LANES = 5;
export const LEAST_LANES = 2;
const MORE_TOKENS = 60;

/**
 * @typedef {object} LanePass
 * @property {number} slots fed @property {number} ms measured
 * @property {number[]} tokens accepted @property {string[]} sources of them
 * @property {number} draft what its draft passes cost, in passes of one token
 * @property {number} before tokens emitted before it @property {string} sentence
 */

/** Unpack a payload of `lanes/payload.py`. */
export function readRace(data) {
  return { ...data, lanes: data.lanes.map(readLane) };
}

function readLane(sent, index) {
  let before = 0, slots = 0, ms = 0, drafts = 0;
  const passes = sent.passes.map(([fed, took, tokens, sources, drafting], number) => {
    const pass = {
      slots: fed, ms: took, tokens, sources, before, sentence: sent.sentences[number],
      draft: drafting * (sent.draft || 0),
    };
    drafts += drafting;
    before += tokens.length;
    slots += fed;
    ms += took;
    return pass;
  });
  return { ...sent, index, passes, tokens: before, slots, ms, drafts, timed: ms > 0 };
}

/** How long one pass is: `cost` is what 60 more tokens add to a pass, in per cent. */
export function passLength(pass, axis, cost) {
  if (axis === "passes") return 1;
  if (axis === "slots") return pass.slots;
  if (axis === "time") return pass.ms / 1000;
  return 1 + (cost / 100) * ((pass.slots - 1) / MORE_TOKENS) + pass.draft;
}

/** Where each pass of a lane ends on the axis. */
export function laneEnds(lane, axis, cost) {
  let end = 0;
  return lane.passes.map((pass) => (end += passLength(pass, axis, cost)));
}

/** Every place where a pass of some lane ends, in order, 0 first. */
export function raceMoments(allEnds) {
  const sorted = [0, ...allEnds.flat()].sort((a, b) => a - b);
  const tiny = 1e-9 * (sorted[sorted.length - 1] || 1);
  return sorted.filter((value, i) => !i || value - sorted[i - 1] > tiny);
}

/** How many passes are done at a place of the axis. */
export function passesDone(ends, place) {
  const tiny = 1e-9 * (ends[ends.length - 1] || 1);
  let done = 0;
  while (done < ends.length && ends[done] <= place + tiny) done++;
  return done;
}

/** Tokens emitted by the first `done` passes. */
export function tokensAfter(lane, done) {
  const pass = lane.passes[done - 1];
  return pass ? pass.before + pass.tokens.length : 0;
}

/** What an axis counts, as short text. */
export function axisNumber(value, axis) {
  if (axis === "passes" || axis === "slots") return String(Math.round(value));
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

export function laneUnit(value, axis) {
  const number = axisNumber(value, axis);
  if (axis === "passes") return `${number} ${value === 1 ? "pass" : "passes"}`;
  if (axis === "slots") return `${number} slots fed`;
  return axis === "time" ? `${number} s` : `${number} modelled one-token passes`;
}

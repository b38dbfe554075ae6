/** Sentences: the same words as `explain.py`, letter by letter (a test compares). */
import { CURRENT, GUESS, WINDOW, rule } from "./rules.js";

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export function quoted(model, token) {
  return `‘${model.texts[token]}’`;
}

/** Where a slot is: "current token", "row 1, column 2", "candidate 1, guess 3". */
export function slotName(layout, slot) {
  if (layout.roles[slot] === CURRENT) return "current token";
  if (layout.roles[slot] === WINDOW) return `row ${layout.rows[slot]}, column ${layout.cols[slot]}`;
  return `candidate ${layout.rows[slot] + 1}, guess ${layout.cols[slot] + 1}`;
}

/** Why slot q of a step may or may not read slot k. */
export function why(model, step, q, k) {
  const { layout, tokens } = step;
  const reason = rule(layout, q, k);
  return SENTENCES[reason]({
    model, step, layout, q, k,
    read: quoted(model, tokens[k]),
    readOffset: `+${layout.offsets[k]}`,
    ownOffset: `+${layout.offsets[q]}`,
    column: layout.cols[q],
    readColumn: layout.cols[k],
  });
}

export function whyCommitted(step) {
  if (!step.position) return "The prefix is empty: the current token is the first one of the text.";
  const tokens = count(step.position, "token");
  return `Committed text (${tokens} in the cache): every line may read all of it.`;
}

/** The exact context a slot sees, in order of position. */
export function readRow(model, step, q) {
  const { layout, tokens } = step;
  const parts = [`[in the cache: ${count(step.position, "token")}]`];
  const names = [["R1", "current token"], ["R2", "row 0"], ["R3", "row 0"],
    ["R4", "its own column"], ["R5", "its own candidate"]];
  for (const [wanted, name] of names) {
    const read = tokens.filter((_, k) => rule(layout, q, k) === wanted);
    if (read.length) parts.push(`${name} ${read.map((t) => quoted(model, t)).join(" ")}`);
  }
  const own = quoted(model, tokens[q]);
  return `${own} (${slotName(layout, q)}) reads: ${parts.join(" + ")} + itself.`;
}

function columnText({ model, step, layout, q, k }) {
  let text = "";
  for (let slot = k; slot <= q; slot += layout.C) text += model.texts[step.tokens[slot]];
  return text;
}

const SENTENCES = {
  R0: () => "Every token sees itself.",
  R1: (cell) => `${cell.read} is the current token, committed text: every line may read it.`,
  R2: (cell) => "Row 0 is ordinary left-to-right text: offset " +
    `${cell.readOffset} comes before ${cell.ownOffset}.`,
  R3: (cell) => cell.readColumn === cell.column
    ? `${cell.read} is the key of this n-gram, its first token (column ${cell.column}).`
    : `This n-gram starts at offset +${cell.column}: ${cell.read} and all of row 0 up to there ` +
      "are its left context.",
  R4: (cell) => {
    const between = cell.layout.rows[cell.q] - cell.layout.rows[cell.k];
    return `Same n-gram, ${count(between, "token")} earlier: ${cell.read}. ` +
      `Together they are ‘${columnText(cell)}’.`;
  },
  R5: (cell) => {
    const own = cell.layout.rows[cell.q] + 1, other = cell.layout.rows[cell.k] + 1;
    const shared = own === other ? "" : `, shared with candidate ${other}`;
    return `Earlier token of the same candidate ${own}${shared}: ${cell.read}.`;
  },
  X1: (cell) => `Later position (${cell.readOffset} comes after ${cell.ownOffset}): ` +
    "the future is hidden.",
  X2: (cell) => `Same row, other n-gram: ${cell.read} (${cell.readOffset}) was guessed in the ` +
    "same pass by a neighbour; it never was the left context of this token. Many people expect it to be on.",
  X3: (cell) => `Older row, other column: ${cell.read} (column ${cell.readColumn}) is not part ` +
    `of this n-gram (column ${cell.column}).`,
  X4: (cell) => `Another candidate (${cell.layout.rows[cell.k] + 1}): candidates must not ` +
    "influence each other's verdict.",
  X5: () => "Window and candidates are separate branches: one guesses, the other is verified.",
  X6: () => "Committed text never reads guesses: that is why this line's output is exactly the " +
    "greedy token, and every pass accepts at least one.",
  X7: () => "Newer row: it continues other n-grams, never this one's past.",
  X8: (cell) => `Row 0, right of column ${cell.column}: at offset ${cell.readOffset} this line ` +
    "reads its own column instead.",
};

/** What a pass did, in one or two sentences. */
export function stepSentence(model, step) {
  if (model.kind === "lookahead") return lookaheadSentence(model, step);
  if (model.kind === "jacobi") return jacobiSentence(step);
  if (model.kind === "draft") return draftSentence(model, step);
  const token = quoted(model, step.accepted[0]);
  if (step.draws.length) {
    const chance = rounded(step.draws[step.draws.length - 1].threshold);
    return `Step ${step.index}: ${token} was drawn (probability ${chance}), 1 token accepted.`;
  }
  return `Step ${step.index}: the model's next token is ${token}, 1 token accepted.`;
}

function jacobiSentence(step) {
  const drafted = step.draftPasses
    ? `the draft model wrote it in ${count(step.draftPasses, "pass", "passes")}, ` : "";
  const ahead = step.ahead.length ? `${count(step.ahead.length, "more block")} in flight, ` : "";
  return `Step ${step.index}, block ${step.block + 1}, iteration ${step.iteration}: ${drafted}` +
    `${ahead}${count(step.accepted.length, "token")} became final` +
    `${step.byCandidate ? " by a recycled n-gram" : ""}, ` +
    `${step.frozen - step.discarded.length} of ${step.iterate.length} are final${cutOff(step)}.`;
}

function draftSentence(model, step) {
  const accepted = `${count(step.accepted.length, "token")} accepted${cutOff(step)}.`;
  if (!step.candidates.length) {
    return `Step ${step.index}: ${whyNothingDrafted(model, step)}, ${accepted}`;
  }
  const tokens = count(step.candidates[0].length, "token");
  const drafted = step.copiedFrom === null ? `${tokens} drafted`
    : `${tokens} copied from position ${step.copiedFrom}`;
  const how = step.draws.length ? "accepted" : "matched";
  return `Step ${step.index}: ${drafted}, ${step.matched[0]} of them ${how}, ${accepted}`;
}

/** Why a pass has no draft; stands inside a sentence. */
export function whyNothingDrafted(model, step) {
  if (model.max - step.before === 1) return "only one token is left to write, so nothing is drafted";
  if (model.copies) {
    return `${quoted(model, step.tokens[0])} stands nowhere before, nothing is copied`;
  }
  return "the draft model has no position left, so nothing is drafted";
}

/** The pool holds nothing for the current token; the beginning of a sentence. */
export function noNgram(model, step) {
  return `No n-gram in the pool starts with ${quoted(model, step.tokens[0])}`;
}

function lookaheadSentence(model, step) {
  const accepted = `${count(step.accepted.length, "token")} accepted${cutOff(step)}.`;
  if (step.phase === "alone") {
    return `Step ${step.index}: the model's position limit is near, so the current token is fed ` +
      `alone, ${accepted}`;
  }
  if (step.phase === "warm-up") {
    return `Step ${step.index} (warm-up ${step.R} of ${model.N - 2}): the window grows by one ` +
      `row, nothing is verified yet, ${entered(step)}${accepted}`;
  }
  const key = quoted(model, step.tokens[0]);
  const candidates = step.candidates.length;
  if (candidates) {
    const start = candidates === 1 ? "starts" : "start";
    const longest = `longest match ${Math.max(...step.matched)} of ${model.N - 1}`;
    const found = `${count(candidates, "candidate")} ${start} with ${key}, ${longest}, `;
    return `Step ${step.index}: ${entered(step)}${found}${accepted}`;
  }
  const reason = model.G
    ? `${noNgram(model, step)}: this pass can only accept 1 token.`
    : "With G = 0 nothing is verified: each pass accepts 1 token.";
  return `Step ${step.index}: ${entered(step)}${accepted} ${reason}`;
}

function entered(step) {
  if (!step.changes.length) return "";
  const ignored = step.changes.filter((change) => change.ignored).length;
  const refreshed = step.changes.filter((change) => !change.added).length - ignored;
  const evicted = step.changes.filter((change) => change.evicted).length;
  const again = refreshed ? ` (${refreshed} refreshed)` : "";
  const known = ignored ? `, ${ignored} known already` : "";
  const entered = count(step.changes.length - ignored, "n-gram");
  return `${entered} entered${again}${known}, ${evicted} evicted, `;
}

function cutOff(step) {
  const more = step.discarded.length;
  return more ? `, ${more} more proven but cut off because the run ends here` : "";
}

/** Is this slot a guess of a candidate? */
export function isGuess(layout, slot) {
  return layout.roles[slot] === GUESS;
}

/** What one draw decided, as `draws.py` says it. */
export function drawSentence(draw) {
  if (!draw.candidates.length) {
    return `sampled from what remained, probability ${rounded(draw.threshold)}`;
  }
  const verdict = draw.accepted ? "accepted" : "rejected";
  if (draw.drawn === null) {
    const left = draw.accepted ? "nothing else is left" : "probability 0";
    return `${left}: ${verdict} without a draw`;
  }
  return `drew ${drawComparison(draw)}: ${verdict}`;
}

/** The two numbers of a draw: "0.31 < 0.52"; "p = 1" where nothing was drawn. */
export function drawComparison(draw) {
  if (draw.drawn === null || !draw.candidates.length) return `p = ${rounded(draw.threshold)}`;
  let [drawn, threshold] = [rounded(draw.drawn), rounded(draw.threshold)];
  if (drawn === threshold) {
    [drawn, threshold] = [rounded(draw.drawn, 4), rounded(draw.threshold, 4)];
  }
  return `${drawn} ${draw.accepted ? "<" : "≥"} ${threshold}`;
}

/** A number from 0 to 1 as a reader wants it: two digits, four where it is small. */
export function rounded(value, digits = 2) {
  const size = 10 ** (value > 0 && value < 0.01 ? 4 : digits);
  const shown = Math.floor(value * size + 0.5) / size;
  return value && !shown ? "≈0" : String(shown);
}

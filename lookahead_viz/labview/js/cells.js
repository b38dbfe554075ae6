/** A mask beside the right one: what each cell is, why, and where the differences are. */
import { RULE_NAMES, layoutOf, rule } from "../../player/js/rules.js";
import { why } from "../../player/js/sentences.js";

/** The rule of a cell that only the model's sliding window hides. */
export const BEYOND_WINDOW = "SW";
export const OFF = 0;
export const ON = 1;
export const LEAKS = 2;
export const MISSES = 3;

/** What a cell is, by state: words, glyph, fill of the theme. */
export const STATES = [
  { name: "hidden, as it must be", glyph: "", fill: "match_off" },
  { name: "seen, as it must be", glyph: "", fill: "match_on" },
  { name: "LEAK: seen, and must be hidden", glyph: "●", fill: "leak" },
  { name: "BLIND: hidden, and must be seen", glyph: "○", fill: "blind" },
];

/**
 * Unpack what Python sent: T packed tokens behind P committed columns, both masks as packed bits
 * row after row, and where each packed token stands in the canonical step.
 */
export function readLab(data) {
  const layout = layoutOf(data.grid[0], data.grid[1], data.grid[2], data.grid[3]);
  const columns = data.size + data.committed;
  const given = unpackBits(data.given), right = unpackBits(data.expected);
  const cells = new Uint8Array(data.size * columns);
  const wrong = [];
  for (let i = 0; i < cells.length; i++) {
    const seen = (given[i >> 3] >> (7 - (i & 7))) & 1;
    const wanted = (right[i >> 3] >> (7 - (i & 7))) & 1;
    cells[i] = seen === wanted ? seen : seen ? LEAKS : MISSES;
    if (seen !== wanted) wrong.push(i);
  }
  const texts = Array(layout.slots).fill("");
  data.merged.forEach((slots, i) => slots.forEach((slot) => { texts[slot] = data.texts[i]; }));
  const slots = Array.from({ length: layout.slots }, (_, slot) => slot);
  return {
    ...data, layout, columns, cells, wrong,
    canonical: { model: { texts }, step: { layout, tokens: slots } },
  };
}

function unpackBits(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Canonical slots of a cell, [who reads, what is read]; null where committed text takes part. */
export function canonicalCell(lab, row, column) {
  const k = column - lab.committed;
  if (k < 0 || !lab.merged[row].length || !lab.merged[k].length) return null;
  const reader = lab.merged[row][0];
  const seen = lab.merged[k].find((slot) => rule(lab.layout, reader, slot)[0] === "R");
  return [reader, seen === undefined ? lab.merged[k][0] : seen];
}

/** How many positions a cell looks back; committed columns stand in front of what is fed again. */
function reachBack(lab, row, column) {
  const k = column - lab.committed;
  return lab.positions[row] - (k < 0 ? k - lab.refed : lab.positions[k]);
}

/** The reason why a cell must be on or off: "R0" to "R5", "X1" to "X8", "SW". */
export function reasonOf(lab, row, column) {
  const reason = reasonInStep(lab, row, column);
  const beyond = lab.sliding_window && reachBack(lab, row, column) >= lab.sliding_window;
  return beyond && reason[0] === "R" ? BEYOND_WINDOW : reason;
}

function reasonInStep(lab, row, column) {
  const pair = canonicalCell(lab, row, column);
  if (pair) return rule(lab.layout, pair[0], pair[1]);
  const k = column - lab.committed;
  if (k >= 0 && lab.merged[k].length) return "X6";
  return k <= row ? "R1" : "X1";
}

/** The sentence of a cell: why it must be on or off. */
export function sentenceOf(lab, row, column) {
  if (reasonOf(lab, row, column) === BEYOND_WINDOW) return beyondSentence(lab, row, column);
  const pair = canonicalCell(lab, row, column);
  if (pair) return why(lab.canonical.model, lab.canonical.step, pair[0], pair[1]);
  const reason = reasonOf(lab, row, column);
  if (reason === "R1" && lab.sliding_window) {
    return "Committed text within the sliding window: this line may read it.";
  }
  if (reason === "R1") return "Committed text: every line behind it may read all of it.";
  if (reason === "X1") return "Later committed text: the future is hidden.";
  return "Committed text that is fed again reads what stands before it, no guess.";
}

function beyondSentence(lab, row, column) {
  const signed = (place) => (place < 0 ? `${place}` : `+${place}`);
  const own = lab.positions[row], size = lab.sliding_window, many = reachBack(lab, row, column);
  return `Beyond the sliding window: position ${signed(own - many)} is ${many} back from ` +
    `${signed(own)}, and a token sees the last ${size} position${size === 1 ? "" : "s"} only, ` +
    "its own included.";
}

/** Where a packed token is, in words; candidates and guesses count from 1. */
function placeOf(lab, slot) {
  if (slot < 0) return "";
  if (!lab.merged[slot].length) return ", committed, fed again";
  const first = lab.merged[slot][0], [rows, columns, , guesses] = lab.grid;
  if (first === 0) return ", the current token";
  if (first < rows * columns) {
    return `, row ${Math.floor(first / columns)}, column ${first % columns} of the window`;
  }
  const guess = first - rows * columns;
  return `, candidate ${Math.floor(guess / guesses) + 1}, guess ${(guess % guesses) + 1}`;
}

/** A token in words: where it stands, and its text where texts are known. */
export function nameOf(lab, slot) {
  if (slot < 0) return `committed column ${slot + lab.committed}`;
  const name = lab.names[slot], text = lab.texts[slot];
  return name === text ? name : `${name} ‘${text}’`;
}

/** What is said of a cell: where it is, what is wrong with it, and why. */
export function cellWords(lab, row, column) {
  const state = STATES[lab.cells[row * lab.columns + column]];
  const k = column - lab.committed;
  const reader = `Line ${row} (${nameOf(lab, row)}${placeOf(lab, row)})`;
  const read = k < 0 ? nameOf(lab, k) : `column ${k} (${nameOf(lab, k)}${placeOf(lab, k)})`;
  const reason = reasonOf(lab, row, column);
  const rule = `${reason}: ${RULE_NAMES[reason] || "beyond the sliding window"}`;
  return [`${reader}, ${read}: ${state.name}.`, `${sentenceOf(lab, row, column)} (${rule})`];
}

/** The index in `lab.wrong` of the next difference from a cell on; round at the end. */
export function nextWrong(lab, cell, direction) {
  const { wrong } = lab, at = cell ? cell[0] * lab.columns + cell[1] : -1;
  if (!wrong.length) return -1;
  let low = 0, high = wrong.length; // the first index whose cell is not before `at`
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wrong[middle] < at) low = middle + 1;
    else high = middle;
  }
  const there = low < wrong.length && wrong[low] === at;
  const next = direction > 0 ? (there ? low + 1 : low) : low - 1;
  return (next + wrong.length) % wrong.length;
}

/** Which difference a cell is, from 0; -1 where it is none. */
export function whichWrong(lab, cell) {
  if (!cell) return -1;
  const at = cell[0] * lab.columns + cell[1];
  const found = lab.wrong.length ? nextWrong(lab, cell, 1) : -1;
  if (found < 0) return -1;
  const before = (found - 1 + lab.wrong.length) % lab.wrong.length;
  return lab.wrong[before] === at ? before : -1;
}

/** Tiles of the mask as given: 0 empty, 1 partial, 2 full, row after row. */
export function tilesOf(lab, size) {
  const across = Math.ceil(lab.columns / size), down = Math.ceil(lab.size / size);
  const seen = new Uint32Array(across * down);
  for (let q = 0, i = 0; q < lab.size; q++) {
    const first = Math.floor(q / size) * across;
    for (let c = 0; c < lab.columns; c++, i++) {
      const state = lab.cells[i];
      if (state === ON || state === LEAKS) seen[first + Math.floor(c / size)]++;
    }
  }
  const states = Array.from(seen, (count) => (count === size * size ? 2 : count ? 1 : 0));
  return { size, across, down, states };
}

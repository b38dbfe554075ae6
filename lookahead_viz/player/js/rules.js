/** Who may look at whom: the same rules as `visibility.py`, over the table of slots. */

export const CURRENT = 0;
export const WINDOW = 1;
export const GUESS = 2;

/** Every reason in a few words, as `explain.RULE_NAMES`. */
export const RULE_NAMES = {
  R0: "the token itself",
  R1: "committed text",
  R2: "row 0, left to right",
  R3: "row 0 as left context",
  R4: "own column",
  R5: "own candidate",
  X1: "later position",
  X2: "same row, other n-gram",
  X3: "older row, other column",
  X4: "another candidate",
  X5: "the other branch",
  X6: "slot 0 reads no guess",
  X7: "newer row",
  X8: "row 0, right of the own column",
};

const layouts = new Map();

/**
 * The table of all slots: window row-major, then one candidate after another.
 * @param {number} R window rows  @param {number} C window columns
 * @param {number} G candidates   @param {number} n guesses of each
 */
export function layoutOf(R, C, G, n) {
  const key = `${R},${C},${G},${n}`;
  if (!layouts.has(key)) layouts.set(key, makeLayout(R, C, G, n));
  return layouts.get(key);
}

function makeLayout(R, C, G, n) {
  const roles = [], rows = [], cols = [], offsets = [];
  const add = (role, row, col, offset) => {
    roles.push(role);
    rows.push(row);
    cols.push(col);
    offsets.push(offset);
  };
  for (let r = 0; r < R; r++) {
    for (let c = 0; c < C; c++) add(r || c ? WINDOW : CURRENT, r, c, r + c);
  }
  for (let g = 0; g < G; g++) {
    for (let j = 0; j < n; j++) add(GUESS, g, j, 1 + j);
  }
  return { R, C, G, n, slots: roles.length, roles, rows, cols, offsets, parents: null, key: "" };
}

/**
 * The table of slots where candidates are merged: equal prefixes are one slot each.
 * @param {number[][]} candidates
 * @returns {[object, number[][]]} the layout, and the slot of every guess of every candidate
 */
export function mergedLayout(R, C, candidates) {
  const known = new Map(), parents = [], rows = [], cols = [];
  const slots = candidates.map((tail, g) => tail.map((_, j) => {
    const prefix = tail.slice(0, j + 1).join(",");
    if (!known.has(prefix)) {
      parents.push(j ? known.get(tail.slice(0, j).join(",")) : 0);
      known.set(prefix, R * C + known.size);
      rows.push(g);
      cols.push(j);
    }
    return known.get(prefix);
  }));
  const key = `${R},${C}|${parents}|${rows}`;
  if (!layouts.has(key)) {
    const base = makeLayout(R, C, 0, 0);
    const windowParents = base.roles.map((_, slot) => parentOf(base, slot));
    layouts.set(key, {
      ...base, key, G: candidates.length, n: candidates.length ? candidates[0].length : 0,
      slots: base.slots + rows.length,
      roles: base.roles.concat(rows.map(() => GUESS)),
      rows: base.rows.concat(rows), cols: base.cols.concat(cols),
      offsets: base.offsets.concat(cols.map((col) => 1 + col)),
      parents: windowParents.concat(parents),
    });
  }
  return [layouts.get(key), slots];
}

/** Does guess k come before guess q in one of its candidates? */
function before(layout, k, q) {
  const { parents, rows, cols } = layout;
  if (!parents) return rows[k] === rows[q] && cols[k] < cols[q];
  let slot = q;
  while (slot > k) slot = parents[slot];
  return slot === k && q !== k;
}

/** The reason of mask cell (row q, column k): "R0" to "R5" visible, "X1" to "X8" hidden. */
export function rule(layout, q, k) {
  if (q === k) return "R0";
  const { roles, rows, cols } = layout;
  const qGuess = roles[q] === GUESS, kGuess = roles[k] === GUESS;
  if (!qGuess && !kGuess) {
    if (rows[k] === 0 && cols[k] <= cols[q]) {
      if (roles[k] === CURRENT) return "R1";
      return rows[q] === 0 ? "R2" : "R3";
    }
    if (rows[k] >= 1 && rows[k] < rows[q] && cols[k] === cols[q]) return "R4";
  }
  if (qGuess && roles[k] === CURRENT) return "R1";
  if (qGuess && kGuess && before(layout, k, q)) return "R5";
  return hiddenReason(layout, q, k, qGuess, kGuess);
}

function hiddenReason(layout, q, k, qGuess, kGuess) {
  const { roles, rows, offsets } = layout;
  if (roles[q] === CURRENT) return "X6";
  if (qGuess !== kGuess) return "X5";
  if (qGuess && !before(layout, q, k)) return "X4";
  if (offsets[k] > offsets[q]) return "X1";
  if (rows[q] === rows[k]) return "X2";
  if (rows[k] >= 1 && rows[k] < rows[q]) return "X3";
  return rows[k] > rows[q] ? "X7" : "X8";
}

/** The slot before `slot` on its path; -1 for slot 0, whose parent is the prefix. */
export function parentOf(layout, slot) {
  if (layout.parents) return layout.parents[slot];
  if (layout.roles[slot] === CURRENT) return -1;
  if (layout.roles[slot] === WINDOW) return slot - (layout.rows[slot] ? layout.C : 1);
  return layout.cols[slot] ? slot - 1 : 0;
}

/** The slots that `q` reads, itself included, in slot order. */
export function readBy(layout, q) {
  const found = [];
  for (let k = 0; k < layout.slots; k++) if (rule(layout, q, k)[0] === "R") found.push(k);
  return found;
}

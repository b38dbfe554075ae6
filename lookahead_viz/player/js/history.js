/** Where the cells of a window come from, by the steps before it (`views/window.py`). */
import { textTokenAt } from "./run.js";
import { count, quoted } from "./sentences.js";

/**
 * One window cell; `row` R is the row of predictions that is about to enter.
 * @returns {{row:number, col:number, slot:number|null, token:number, age:number, madeAt:number,
 *   current:boolean, fill:boolean, previous:number|null, changed:boolean, final:boolean|null,
 *   probability:number|null, offset:number, position:number, maker:number|null}}
 */
export function windowCell(model, step, row, col) {
  const entering = row === step.R, current = !row && !col;
  const token = entering ? step.predictions[col] : step.tokens[row * step.C + col];
  const position = step.position + row + col;
  const previous = current || entering ? null : previousToken(model, step, row, position);
  const madeAt = madeAtOf(model, step, row);
  const fill = !current && !entering && isFill(model, step, row, col);
  const known = textTokenAt(model, position);
  const maker = fill || current ? null : makerColumn(model, step, row, col);
  return {
    row, col, token, position, offset: row + col, current, fill, previous, madeAt, maker,
    slot: entering ? null : row * step.C + col,
    age: step.index - madeAt,
    changed: previous !== null && previous !== token,
    final: known === undefined ? null : known === token,
    probability: maker === null ? null : probabilityOf(model, madeAt, maker, token),
  };
}

/** The step whose predictions became a row; -1 = start fill. */
function madeAtOf(model, step, row) {
  if (row === step.R) return step.index;
  if (model.shift !== "level") return Math.max(step.index - step.R + row, -1);
  if (!step.makers) step.makers = rowMakers(model, step.index);
  return step.makers[row];
}

/** The same where levels are rolled up: once by the predictions, then by copies of row 0. */
function rowMakers(model, index) {
  let makers = [];
  const filled = (rows) => Array(Math.max(rows - makers.length, 0)).fill(-1).concat(makers);
  for (let number = 0; number < index; number++) {
    const { R, accepted } = model.steps[number], next = model.steps[number + 1].R;
    makers = [...filled(R), number];
    makers = makers.slice(makers.length - next);
    if (R !== next) continue;
    for (let i = 1; i < accepted.length; i++) {
      makers = [...makers.slice(1), makers[Math.min(1, makers.length - 1)]];
    }
  }
  return filled(model.steps[index].R);
}

function slidColumns(model, step, row) {
  if (model.shift !== "slide") return 0;
  let slid = 0;
  for (let i = Math.max(step.index - step.R + row, 0); i < step.index; i++) {
    slid += Math.min(model.steps[i].accepted.length - 1, step.C);
  }
  return slid;
}

function isFill(model, step, row, col) {
  return madeAtOf(model, step, row) < 0 || col >= step.C - slidColumns(model, step, row);
}

function previousToken(model, step, row, position) {
  const before = model.steps[step.index - 1];
  if (!before) return null;
  const col = position - before.position - row;
  if (row >= before.R || col < 0 || col >= before.C || (!row && !col)) return null;
  return before.tokens[row * before.C + col];
}

/** The column in which the step that predicted this cell had it. */
function makerColumn(model, step, row, col) {
  const madeAt = madeAtOf(model, step, row);
  if (madeAt < 0) return null;
  const dropped = row < step.R ? model.steps[madeAt].C - step.C : 0;
  return col + dropped + slidColumns(model, step, row);
}

function probabilityOf(model, madeAt, col, token) {
  const maker = model.steps[madeAt];
  const table = model.alternatives && model.alternatives[madeAt];
  const entries = table && table.get((maker.R - 1) * maker.C + col);
  const found = entries && entries.find(([other]) => other === token);
  return found ? found[1] : null;
}

/** Who a cell is, line by line. */
export function cellLines(model, step, cell) {
  const lines = [`‘${model.texts[cell.token]}’ · row ${cell.row}, column ${cell.col}`];
  if (cell.current) {
    const where = `the current token, position ${cell.position}: accepted, not yet in the cache`;
    return [...lines, where];
  }
  lines.push(`offset +${cell.offset} from the current token, position ${cell.position}`);
  if (cell.fill) lines.push("start fill: no model predicted it");
  else if (!cell.age) lines.push("predicted by this pass; enters as the newest row");
  else lines.push(`predicted at step ${cell.madeAt}, ${count(cell.age, "pass", "passes")} ago`);
  if (cell.probability !== null) lines.push(`probability ${threeDigits(cell.probability)}`);
  if (cell.changed) {
    const before = quoted(model, cell.previous);
    lines.push(`one pass ago this row had ${before} for this position`);
  }
  if (cell.final !== null) {
    lines.push(cell.final ? "equals the final text" : "not the final token here");
  }
  return lines;
}

/** A probability as Python's `.3g` writes it. */
export function threeDigits(value) {
  const text = value.toPrecision(3);
  if (!text.includes("e") && (value >= 1e-4 || value === 0)) return String(Number(text));
  const [digits, exponent] = value.toExponential(2).split("e");
  const size = exponent.slice(1).padStart(2, "0");
  return `${Number(digits)}e${exponent[0]}${size}`;
}

/** The label of a window row: [which, how old]. */
export function rowLabel(model, step, row) {
  if (row === step.R) return ["predictions", "enter now"];
  const madeAt = madeAtOf(model, step, row);
  if (madeAt < 0) return [`row ${row}`, "start fill"];
  const newest = row === step.R - 1 ? " (newest)" : "";
  return [`row ${row}${newest}`, `guessed ${count(step.index - madeAt, "pass", "passes")} ago`];
}

/** The tokens of a column read downwards and its prediction; null in warm-up. */
export function columnNgram(step, col) {
  if (step.phase !== "full" || !step.predictions.length) return null;
  const found = [];
  for (let r = 0; r < step.R; r++) found.push(step.tokens[r * step.C + col]);
  const change = step.changes[col];
  if (change && change.col === col) found[0] = change.key;
  return [...found, step.predictions[col]];
}

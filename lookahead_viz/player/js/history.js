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
  const madeAt = step.index - step.R + row;
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

function slidColumns(model, step, row) {
  if (!model.slide) return 0;
  let slid = 0;
  for (let i = Math.max(step.index - step.R + row, 0); i < step.index; i++) {
    slid += Math.min(model.steps[i].accepted.length - 1, step.C);
  }
  return slid;
}

function isFill(model, step, row, col) {
  return step.index - step.R + row < 0 || col >= step.C - slidColumns(model, step, row);
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
  const madeAt = step.index - step.R + row;
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
  else if (!cell.age) lines.push("predicted in this step; enters as the newest row");
  else lines.push(`predicted in step ${cell.madeAt}, ${count(cell.age, "step")} ago`);
  if (cell.probability !== null) lines.push(`probability ${threeDigits(cell.probability)}`);
  if (cell.changed) {
    const before = quoted(model, cell.previous);
    lines.push(`one step ago this row had ${before} for this position`);
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
export function rowLabel(step, row) {
  if (row === step.R) return ["predictions", "enter now"];
  const madeAt = step.index - step.R + row;
  if (madeAt < 0) return [`row ${row}`, "start fill"];
  const newest = row === step.R - 1 ? " (newest)" : "";
  return [`row ${row}${newest}`, `guessed ${count(step.index - madeAt, "step")} ago`];
}

/** The tokens of a column read downwards and its prediction; null in warm-up. */
export function columnNgram(step, col) {
  if (step.phase !== "full" || !step.predictions.length) return null;
  const found = [];
  for (let r = 0; r < step.R; r++) found.push(step.tokens[r * step.C + col]);
  return [...found, step.predictions[col]];
}

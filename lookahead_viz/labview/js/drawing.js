/** The difference on a canvas: only what is in sight is drawn, however large the mask is. */
import { shorten } from "../../player/js/words.js";
import { LEAKS, OFF, STATES, reasonOf } from "./cells.js";

const FILLS_OF_BRANCH = { window: "r4", current: "r4", guess: "r5", committed: "r1" };
export const SMALL = 3;

/** Room for names, and the largest cell with which everything is in sight. */
export function measure(lab, width, height) {
  const longest = Math.max(...lab.texts.slice(0, 400).map((text) => text.length), 2);
  const letters = Math.min(longest, 10);
  const left = 26 + letters * 8, top = 16 + letters * 8;
  const room = Math.min((width - left - 8) / lab.columns, (height - top - 8) / lab.size);
  const fit = room >= 9 ? Math.min(26, Math.floor(room)) : Math.min(room, 9);
  return { width, height, left, top, fit: Math.max(fit, 0.01) };
}

/** The part in sight for a cell size and a shift in pixels, the shift kept within bounds. */
export function sight(lab, box, look) {
  const cell = look.cell || box.fit;
  const named = cell >= 9;
  const left = named ? box.left : 14, top = named ? box.top : 14;
  const across = box.width - left - 4, down = box.height - top - 4;
  const x = bound(look.x, lab.columns * cell - across), y = bound(look.y, lab.size * cell - down);
  return {
    cell, named, left, top, x, y, across, down,
    firstRow: Math.floor(y / cell), endRow: Math.min(lab.size, Math.ceil((y + down) / cell)),
    firstColumn: Math.floor(x / cell),
    endColumn: Math.min(lab.columns, Math.ceil((x + across) / cell)),
  };
}

function bound(shift, most) {
  return Math.max(0, Math.min(shift, Math.max(0, most)));
}

/** The cell under a point, [row, column]; null outside. */
export function cellUnder(lab, view, px, py) {
  const column = Math.floor((px - view.left + view.x) / view.cell);
  const row = Math.floor((py - view.top + view.y) / view.cell);
  const inside = px >= view.left && py >= view.top && row < lab.size && column < lab.columns;
  return inside && row >= 0 && column >= 0 ? [row, column] : null;
}

/** Draw everything. `paint` is the theme's colours by name. */
export function drawLab(canvas, lab, box, view, look, paint, fonts) {
  const context = prepared(canvas, box);
  context.fillStyle = paint.background;
  context.fillRect(0, 0, box.width, box.height);
  context.save();
  context.beginPath();
  context.rect(view.left, view.top, view.across, view.down);
  context.clip();
  if (view.cell < SMALL) drawSmall(context, lab, view, paint);
  else drawCells(context, lab, view, paint, fonts);
  if (view.cell >= 6) drawRegions(context, lab, view, paint);
  if (look.tiles) drawTiles(context, lab, view, look.tiles, paint);
  if (look.at) drawCursor(context, lab, view, look.at, paint);
  context.restore();
  drawStrips(context, lab, view, paint);
  if (view.named) drawNames(context, lab, view, paint, fonts);
}

function prepared(canvas, box) {
  const ratio = globalThis.devicePixelRatio || 1;
  const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${box.width}px`;
    canvas.style.height = `${box.height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

const placeX = (view, column) => view.left + column * view.cell - view.x;
const placeY = (view, row) => view.top + row * view.cell - view.y;

function drawCells(context, lab, view, paint, fonts) {
  const { cell } = view, gap = cell >= 9 ? 1 : 0;
  if (gap) {
    context.fillStyle = paint.faint;
    const right = placeX(view, view.endColumn), end = placeY(view, view.endRow);
    context.fillRect(view.left, view.top, right - view.left, end - view.top);
  }
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${Math.round(cell * 0.62)}px ${fonts.font}`;
  for (let q = view.firstRow; q < view.endRow; q++) {
    for (let c = view.firstColumn; c < view.endColumn; c++) {
      const state = lab.cells[q * lab.columns + c];
      const { fill, glyph } = STATES[state];
      const x = placeX(view, c), y = placeY(view, q);
      context.fillStyle = paint[fill];
      context.fillRect(x, y, cell - gap, cell - gap);
      const mark = glyph || (state === OFF || cell < 14 ? "" : ruleMark(lab, q, c));
      if (!mark || cell < 9) continue;
      context.fillStyle = paint[`${fill}-text`];
      context.fillText(mark, x + (cell - gap) / 2, y + (cell - gap) / 2 + 0.5);
    }
  }
}

/** The number of the rule in a cell that is on and must be; a dot for the token itself. */
function ruleMark(lab, q, c) {
  const reason = reasonOf(lab, q, c);
  return reason === "R0" ? "·" : reason[1];
}

const pictures = new WeakMap();

/** Many cells a pixel: one pixel shows the worst of its cells, a difference at least 3 pixels. */
function drawSmall(context, lab, view, paint) {
  const key = `${view.cell},${paint.background}`;
  let known = pictures.get(lab);
  if (!known || known.key !== key) {
    known = { key, canvas: smallPicture(lab, view.cell, paint) };
    pictures.set(lab, known);
  }
  context.drawImage(known.canvas, view.left - view.x, view.top - view.y);
}

function smallPicture(lab, cell, paint) {
  const width = Math.max(1, Math.ceil(lab.columns * cell));
  const height = Math.max(1, Math.ceil(lab.size * cell));
  const worst = new Uint8Array(width * height);
  const wide = Math.max(1, Math.ceil(cell));
  const stamp = (x, y, size, state) => {
    for (let j = y; j < Math.min(height, y + size); j++) {
      for (let i = x; i < Math.min(width, x + size); i++) {
        if (worst[j * width + i] < state) worst[j * width + i] = state;
      }
    }
  };
  for (let q = 0, i = 0; q < lab.size; q++) {
    const y = Math.floor(q * cell);
    for (let c = 0; c < lab.columns; c++, i++) {
      const state = lab.cells[i];
      if (state) stamp(Math.floor(c * cell), y, state >= LEAKS ? Math.max(3, wide) : wide, state);
    }
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d"), image = context.createImageData(width, height);
  const colours = STATES.map(({ fill }) => {
    const hex = paint[fill];
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
  for (let i = 0; i < worst.length; i++) {
    const [red, green, blue] = colours[worst[i]];
    image.data.set([red, green, blue, 255], i * 4);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Outlines of the regions in which one rule lets a row see. */
function drawRegions(context, lab, view, paint) {
  context.strokeStyle = paint.text;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let q = view.firstRow; q < view.endRow; q++) {
    let before = q ? regions(lab, q - 1, view) : null;
    const own = regions(lab, q, view);
    if (!before) before = own.map(() => "");
    for (let c = view.firstColumn; c < view.endColumn; c++) {
      const i = c - view.firstColumn, x = placeX(view, c) - 0.5, y = placeY(view, q) - 0.5;
      if (own[i] !== before[i]) line(context, x, y, x + view.cell, y);
      if (own[i] !== (i ? own[i - 1] : "")) line(context, x, y, x, y + view.cell);
    }
  }
  context.stroke();
}

function regions(lab, q, view) {
  const found = [];
  for (let c = view.firstColumn; c < view.endColumn; c++) {
    const reason = reasonOf(lab, q, c);
    found.push(reason[0] === "R" && reason !== "R0" ? reason : "");
  }
  return found;
}

function line(context, x, y, endX, endY) {
  context.moveTo(x, y);
  context.lineTo(endX, endY);
}

/** Tiles: full ones have a thick frame, partial ones a thin dashed one, empty ones a cross. */
function drawTiles(context, lab, view, tiles, paint) {
  const side = tiles.size * view.cell;
  context.strokeStyle = paint.cursor;
  for (let row = 0; row < tiles.down; row++) {
    for (let column = 0; column < tiles.across; column++) {
      const x = placeX(view, column * tiles.size), y = placeY(view, row * tiles.size);
      const outside = x > view.left + view.across || y > view.top + view.down;
      if (outside || x + side < view.left || y + side < view.top) continue;
      const state = tiles.states[row * tiles.across + column];
      const w = Math.min(side, placeX(view, lab.columns) - x);
      const h = Math.min(side, placeY(view, lab.size) - y);
      context.lineWidth = state === 2 ? 3 : 1;
      context.setLineDash(state === 1 ? [4, 3] : []);
      context.strokeRect(x + 1.5, y + 1.5, w - 3, h - 3);
      if (state) continue;
      context.beginPath();
      line(context, x, y, x + w, y + h);
      context.stroke();
    }
  }
  context.setLineDash([]);
}

function drawCursor(context, lab, view, [row, column], paint) {
  const x = placeX(view, column), y = placeY(view, row), side = Math.max(view.cell, 4);
  context.strokeStyle = paint.cursor;
  context.lineWidth = 1;
  const across = Math.min(view.across, lab.columns * view.cell - view.x);
  const down = Math.min(view.down, lab.size * view.cell - view.y);
  context.strokeRect(view.left, y - 0.5, across, side);
  context.strokeRect(x - 0.5, view.top, side, down);
  context.lineWidth = 3;
  context.strokeRect(x - 1, y - 1, side + 1, side + 1);
}

/** Which branch each row and column belongs to: blue window, amber candidates, grey committed. */
function drawStrips(context, lab, view, paint) {
  const branch = (slot) => FILLS_OF_BRANCH[slot < 0 ? "committed" : lab.branches[slot]];
  const gap = view.cell >= 9 ? 1 : 0;
  for (let q = view.firstRow; q < view.endRow; q++) {
    const y = Math.max(view.top, placeY(view, q));
    context.fillStyle = paint[branch(q)];
    context.fillRect(view.left - 8, y, 6, Math.max(0.5, view.cell - gap));
  }
  for (let c = view.firstColumn; c < view.endColumn; c++) {
    const x = Math.max(view.left, placeX(view, c));
    context.fillStyle = paint[branch(c - lab.committed)];
    context.fillRect(x, view.top - 8, Math.max(0.5, view.cell - gap), 6);
  }
}

function drawNames(context, lab, view, paint, fonts) {
  const size = Math.min(13, Math.max(9, view.cell * 0.72));
  context.fillStyle = paint.text;
  context.font = `${size}px ${fonts.mono}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const room = Math.floor((view.left - 14) / (size * 0.61));
  for (let q = view.firstRow; q < view.endRow; q++) {
    const y = placeY(view, q) + view.cell / 2;
    if (y < view.top) continue;
    context.fillText(shorten(lab.texts[q], room), view.left - 11, y);
  }
  const up = Math.floor((view.top - 14) / (size * 0.61));
  for (let c = view.firstColumn; c < view.endColumn; c++) {
    const x = placeX(view, c) + view.cell / 2, k = c - lab.committed;
    if (x < view.left) continue;
    context.save();
    context.translate(x, view.top - 11);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(k < 0 ? "·" : shorten(lab.texts[k], up), 0, 0);
    context.restore();
  }
}

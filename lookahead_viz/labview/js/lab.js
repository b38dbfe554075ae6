/** The difference view: a canvas, buttons, keys, and a sentence about the cell looked at. */
import { h, patch } from "../../player/js/vdom.js";
import { STATES, cellWords, nextWrong, readLab, tilesOf, whichWrong } from "./cells.js";
import { cellUnder, drawLab, measure, sight } from "./drawing.js";

const ZOOMS = [0, 4, 9, 14, 20, 26]; // px a cell; 0 = everything in sight
const TILES = [0, 16, 64, 128];
const HEIGHT = 520;
const NEAR = 14;

export class Lab {
  /** @param {HTMLElement} root @param {object} data @param {() => string} themeName */
  constructor(root, data, themeName) {
    this.root = root;
    this.themeName = themeName;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "lvd-canvas";
    this.canvas.setAttribute("role", "img");
    this.parts = {};
    for (const name of ["bar", "picture", "words", "legend"]) {
      this.parts[name] = document.createElement("div");
      this.parts[name].className = `lvd-${name}`;
      root.appendChild(this.parts[name]);
    }
    this.parts.picture.appendChild(this.canvas);
    this.parts.words.setAttribute("aria-live", "polite");
    this.take(data);
    this.watch = new ResizeObserver(() => this.render());
    this.watch.observe(root);
  }

  /** Another mask. */
  take(data) {
    this.lab = readLab(data);
    this.look = { cell: 0, x: 0, y: 0, at: null, tiles: null };
    this.hover = null;
    if (this.lab.wrong.length) this.look.at = this.cellOf(0);
    this.render();
  }

  cellOf(index) {
    const place = this.lab.wrong[index];
    return [Math.floor(place / this.lab.columns), place % this.lab.columns];
  }

  /** What a key or a button does; false where it means nothing. */
  command(name) {
    const { lab, look } = this;
    if (name === "next" || name === "previous") return this.jump(name === "next" ? 1 : -1);
    if (name === "in" || name === "out") return this.zoom(name === "in" ? 1 : -1);
    if (name === "fit") Object.assign(look, { cell: 0, x: 0, y: 0 });
    else if (name === "tiles") {
      const size = TILES[(TILES.indexOf(look.tiles ? look.tiles.size : 0) + 1) % TILES.length];
      look.tiles = size ? tilesOf(lab, size) : null;
    } else return this.step(name);
    this.render();
    return true;
  }

  jump(direction) {
    const index = nextWrong(this.lab, this.look.at, direction);
    if (index >= 0) this.go(this.cellOf(index), true);
    return true;
  }

  /** One cell up, down, left or right. */
  step(name) {
    const moves = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };
    if (!moves[name]) return false;
    const [row, column] = this.look.at || [0, 0], [down, across] = moves[name];
    const keep = (value, end) => Math.max(0, Math.min(end - 1, value));
    this.go([keep(row + down, this.lab.size), keep(column + across, this.lab.columns)], false);
    return true;
  }

  zoom(direction) {
    const fit = this.box().fit, now = this.look.cell || fit;
    const sizes = ZOOMS.filter((size) => size === 0 || size > fit + 1);
    const place = sizes.findLastIndex((size) => (size || fit) <= now + 0.01);
    this.look.cell = sizes[Math.max(0, Math.min(sizes.length - 1, place + direction))];
    this.centre();
    this.render();
    return true;
  }

  /** Look at a cell; where cells are too small to read, come nearer. */
  go(cell, near) {
    this.look.at = cell;
    this.hover = null;
    if (near && (this.look.cell || this.box().fit) < 9) this.look.cell = NEAR;
    if (!this.inSight(cell)) this.centre();
    this.render();
  }

  inSight([row, column]) {
    const view = sight(this.lab, this.box(), this.look);
    const x = column * view.cell - view.x, y = row * view.cell - view.y;
    const inside = x >= 0 && y >= 0;
    return inside && x + view.cell <= view.across && y + view.cell <= view.down;
  }

  centre() {
    if (!this.look.at) return;
    const view = sight(this.lab, this.box(), this.look), [row, column] = this.look.at;
    this.look.x = column * view.cell - view.across / 2;
    this.look.y = row * view.cell - view.down / 2;
  }

  box() {
    const width = Math.max(240, this.parts.picture.clientWidth || 800);
    const wanted = measure(this.lab, width, HEIGHT);
    const needed = wanted.top + this.lab.size * wanted.fit + 8;
    const small = !this.look.cell && wanted.fit >= 9;
    return { ...wanted, height: small ? Math.min(HEIGHT, needed) : HEIGHT };
  }

  point(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const view = sight(this.lab, this.box(), this.look);
    return cellUnder(this.lab, view, event.clientX - bounds.left, event.clientY - bounds.top);
  }

  render() {
    const name = this.themeName();
    const paint = THEMES[name];
    for (const [key, value] of Object.entries(paint)) {
      if (typeof value === "string") this.root.style.setProperty(`--lv-${key}`, value);
    }
    const { lab, look } = this, box = this.box(), view = sight(lab, box, look);
    [look.x, look.y] = [view.x, view.y];
    const shown = { ...look, at: this.hover || look.at };
    drawLab(this.canvas, lab, box, view, shown, paint, THEMES);
    this.canvas.setAttribute("aria-label", this.title());
    patch(this.parts.bar, this.bar());
    patch(this.parts.words, this.words(this.hover || look.at));
    patch(this.parts.legend, this.legend());
  }

  title() {
    const { lab } = this, many = lab.wrong.length;
    const found = many ? `${many.toLocaleString("en")} cells differ` : "no cell differs";
    return `${lab.title}: ${lab.size} lines, ${lab.columns} columns, ${found}.`;
  }

  bar() {
    const { lab, look } = this, nothing = !lab.wrong.length;
    const button = (command, text, key, off) => h("button", {
      type: "button", "data-command": command, disabled: off ? "" : null,
      "aria-keyshortcuts": key.toUpperCase(),
    }, text, " ", h("kbd", {}, key));
    const which = whichWrong(lab, look.at);
    const place = nothing ? "no difference"
      : `difference ${which < 0 ? "–" : (which + 1).toLocaleString("en")} of ` +
        lab.wrong.length.toLocaleString("en");
    return [
      button("previous", "‹ Previous", "p", nothing), button("next", "Next ›", "n", nothing),
      h("span", { class: "lvd-place" }, place),
      button("out", "Smaller", "-"), button("in", "Larger", "+"), button("fit", "All", "0"),
      button("tiles", `Tiles: ${look.tiles ? `${look.tiles.size}×${look.tiles.size}` : "off"}`, "b"),
    ];
  }

  words(cell) {
    if (!cell) {
      return [h("p", {}, this.title()),
        h("p", { class: "quiet" }, "Point at a cell to read why it must be on or off.")];
    }
    const [reads, because] = cellWords(this.lab, cell[0], cell[1]);
    return [h("p", { class: "strong" }, reads), h("p", {}, because)];
  }

  legend() {
    const key = ({ name, glyph, fill }) => h("span", {},
      h("span", {
        class: "lvd-key", "aria-hidden": "true",
        style: `background:var(--lv-${fill});color:var(--lv-${fill}-text)`,
      }, glyph), name);
    const { tiles } = this.look;
    return [
      ...STATES.map(key),
      h("span", {}, "Outlined: where one rule lets a line see; its number stands in the cells."),
      tiles ? h("span", { class: "strong" },
        `${this.lab.tiles[tiles.size]} Thick frame = full, dashed = partial, crossed = empty.`) : null,
    ].filter(Boolean);
  }

  close() {
    this.watch.disconnect();
  }
}

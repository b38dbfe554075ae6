/** One player: a run, a state, a root element. State changes; drawing follows, once a frame. */
import { asking, markAnswers, markMask, pointed } from "./ask.js";
import { lightsOf, noLights } from "./links.js";
import { lookOf } from "./looks.js";
import { drawMask, drawMaskLights, maskCellAt, maskGeometry, maskShapes } from "./maskview.js";
import { panelsOf, playerTree } from "./panels.js";
import { PICTURES, STILLS } from "./pictures.js";
import { buildProvenance } from "./provenance.js";
import { readRun, unpackAlternatives } from "./run.js";
import { savePicture } from "./save.js";
import { applyCommand, cellOfRef, newState } from "./state.js";
import { keepTabStops, showRow } from "./tending.js";
import { stepAt } from "./timeline.js";
import { patch } from "./vdom.js";

const REST_MS = 400;
const TOLD_MS = 1500;
const PLAY_MS = 900;
const FRAME_MS = 16;
const SPEEDS = [1, 2, 4, 0.5];

/**
 * @typedef {object} Hooks what the surroundings offer
 * @property {() => string} themeName "light" or "dark"
 * @property {(state: {step:number, cell:string, lecture:boolean}) => void} settled after rest
 * @property {(state: object, model: object) => string} link an address that shows this
 * @property {(ref: string) => void} [picked] the answer to the question that the page asks
 * @property {boolean} [own] the page belongs to the player
 */

export class Player {
  /**
   * @param {HTMLElement} root @param {object} data a payload
   * @param {object} start where to begin @param {Hooks} hooks
   */
  constructor(root, data, start, hooks) {
    this.root = root;
    this.hooks = hooks;
    this.sizes = {};
    this.drawn = {};
    this.frame = 0;
    this.renderedAt = 0;
    this.observer = new ResizeObserver((entries) => this.measure(entries));
    this.observed = new Set();
    this.open(data, start);
  }

  /** Show another run. */
  open(data, start) {
    this.model = readRun(data);
    this.model.pooled = buildProvenance(this.model);
    this.state = newState(this.model, start);
    this.bars = null;
    this.drawn = {};
    this.render();
  }

  /** The page shows another run, or another step of this one: the reader's settings stay. */
  follow(data, start, another) {
    const { step, lock, lecture, bookmarks, hover, playing, note, ...settings } = this.state;
    if (another) {
      this.open(data, start);
      this.state = { ...this.state, ...settings };
    } else {
      const asked = newState(this.model, start);
      this.state = { ...this.state, step: asked.step, lock: asked.lock, playing: false };
    }
    if (start.straighten !== undefined) this.state.straighten = Boolean(start.straighten);
    this.schedule();
  }

  /** Go on where another page was left, and tell this page so. */
  resume({ step, lock, lecture }) {
    this.change({ step: Math.min(step, this.model.steps.length - 1), lock, lecture });
  }

  /** May the surroundings not know yet what is shown? */
  untold() {
    return Boolean(this.rest) || performance.now() - this.told < TOLD_MS;
  }

  step() {
    return this.model.steps[this.state.step];
  }

  /** Change the state by hand of the reader: draws soon, reports after a rest. */
  change(changes) {
    const before = this.state;
    this.state = { ...before, ...changes };
    if (before.playing !== this.state.playing) this.tick();
    if (before.lecture !== this.state.lecture) this.setLecture();
    if (this.state.colour === "probability" && !this.model.alternatives) this.unpack();
    const news = ["step", "lock", "lecture"].some((name) => before[name] !== this.state[name]);
    if (news) this.report();
    this.renderSoon();
  }

  /** A named command, of a key or a button. @returns whether it was one */
  run(name) {
    const changes = applyCommand(this.model, this.state, name);
    if (changes) {
      if (changes.playing && this.state.step === this.model.steps.length - 1) changes.step = 0;
      this.change({ note: null, ...changes });
      return true;
    }
    if (name === "speed") {
      const next = SPEEDS[(SPEEDS.indexOf(this.state.speed) + 1) % SPEEDS.length];
      this.change({ speed: next });
    } else if (name === "lock") this.lock(this.state.hover);
    else if (name === "link") this.copyLink();
    else if (name === "theme") this.change({ theme: this.themeName() === "dark" ? "light" : "dark" });
    else return false;
    return true;
  }

  /** Lock a thing, or let it go; an output token leads to the step that accepted it. */
  lock(ref) {
    if (!ref || this.answer(ref)) return;
    const kind = ref[0], number = Number(ref.slice(2));
    if (kind === "b") this.change({ step: number, playing: false });
    else if (kind === "o") {
      const { step } = this.model.outputs[number];
      this.change({ step, lock: this.state.lock === ref ? null : ref });
    } else this.change({ lock: this.state.lock === ref ? null : ref });
  }

  /** While a question is open, what is clicked is an answer. @returns whether it was taken */
  answer(ref) {
    const ask = asking(this.state);
    if (!ask) return false;
    if (ask.kinds.includes(ref[0]) || ref[0] === "c") this.hooks.picked(ref);
    return true;
  }

  /** What the page wants to be seen, and asks. */
  pose({ only, ask }) {
    this.change({ only: only || null, ask: ask || null });
  }

  go(step, ref) {
    this.change({ step, lock: ref, hover: null, playing: false });
  }

  tick() {
    clearInterval(this.timer);
    if (!this.state.playing) return;
    const wait = () => PLAY_MS / this.state.speed;
    const turn = () => {
      if (!this.state.playing) return;
      const next = this.state.step + 1, last = this.model.steps.length - 1;
      this.change({ step: Math.min(next, last), playing: next < last });
      this.timer = setTimeout(turn, wait());
    };
    this.timer = setTimeout(turn, wait());
  }

  report() {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.settle(), REST_MS);
  }

  /** Tell the surroundings where the reader is, if they do not know yet. */
  settle() {
    if (!this.rest) return;
    clearTimeout(this.rest);
    this.rest = 0;
    this.told = performance.now();
    const { step, lock, lecture } = this.state;
    this.hooks.settled({ step, cell: cellOfRef(lock), lecture });
  }

  async unpack() {
    await unpackAlternatives(this.model);
    this.schedule();
  }

  async copyLink() {
    const link = this.hooks.link(this.state, this.model);
    try {
      await navigator.clipboard.writeText(link);
      this.note("The link is copied.");
    } catch {
      this.note(link);
    }
  }

  note(text) {
    this.change({ note: text });
    clearTimeout(this.noteTimer);
    this.noteTimer = setTimeout(() => this.change({ note: null }), 6000);
  }

  themeName() {
    if (this.state.theme) return this.state.theme;
    return this.state.lecture ? "light" : this.hooks.themeName();
  }

  /** A change by hand waits for no frame, unless one was drawn just now: a key press is seen sooner. */
  renderSoon() {
    if (this.frame) return;
    if (performance.now() - this.renderedAt < FRAME_MS) return this.schedule();
    this.frame = -1; // taken: several changes of one event are drawn together
    queueMicrotask(() => {
      this.frame = 0;
      if (!this.closed) this.render();
    });
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  measure(entries) {
    for (const { target, contentRect } of entries) {
      const { width, height } = contentRect;
      this.sizes[target.dataset.size] = { width: Math.floor(width), height: Math.floor(height) };
    }
    this.bars = null;
    this.schedule();
  }

  render() {
    this.renderedAt = performance.now();
    this.setTheme();
    const { model, state } = this, step = this.step();
    const lights = asking(state) ? pointed(step, state.hover)
      : lightsOf(model, step, state.hover) || lightsOf(model, step, state.lock) || noLights();
    const looks = {}, pictures = {};
    const shown = [...panelsOf(model, state), "timeline"];
    for (const name of shown) {
      if (!this.sizes[name] || this.sizes[name].width < 10) continue;
      looks[name] = lookOf(this, name);
      const picture = PICTURES[name];
      if (picture) pictures[name] = picture(this, model, step, looks[name], lights);
    }
    patch(this.root, playerTree(model, state, looks, lights, pictures, { own: this.hooks.own }));
    if (looks.mask && !state.table) this.drawMask(looks.mask, lights);
    markAnswers(this.root, state);
    this.root.dataset.hover = state.hover || "";
    showRow(this);
    keepTabStops(this.root);
    this.observe();
  }

  drawMask(look, lights) {
    const [base, overlay] = this.root.querySelectorAll(".mask-canvas");
    const step = this.step(), { expanded, expected } = this.state;
    const geometry = maskGeometry(this.model, step, look);
    const { width, height } = geometry;
    const key = [step.index, width, height, expanded, expected, this.themeName(), look.px].join();
    if (this.drawn.mask !== key || this.drawn.canvas !== base) {
      drawMask(base, geometry, maskShapes(this.model, step, look, geometry), look);
      this.drawn.mask = key;
      this.drawn.canvas = base;
    }
    drawMaskLights(overlay, step, geometry, lights, look);
    markMask(overlay, geometry, this.state, look);
    this.maskPlace = geometry;
  }

  /** The thing under the pointer on the mask. */
  maskRef(event) {
    const base = this.root.querySelector(".mask-canvas");
    if (!base || !this.maskPlace) return null;
    const box = base.getBoundingClientRect();
    const cell = maskCellAt(this.maskPlace, event.clientX - box.left, event.clientY - box.top);
    if (!cell) return null;
    return cell.length === 1 ? `s:${cell[0]}` : `m:${cell[0]}:${cell[1]}`;
  }

  setTheme() {
    const name = this.themeName();
    this.theme = THEMES[name];
    this.root.classList.toggle("lecture", this.state.lecture);
    this.root.classList.toggle("lesson", Boolean(this.state.only));
    if (this.drawn.theme === name) return;
    this.drawn.theme = name;
    for (const [key, value] of Object.entries(this.theme)) {
      if (typeof value === "string") this.root.style.setProperty(`--lv-${key}`, value);
    }
  }

  /** Lecture mode stands above everything, the app's sidebar included. */
  setLecture() {
    const { root } = this;
    if (this.hooks.own || !root.showPopover) return;
    if (this.state.lecture) {
      root.popover = "manual";
      root.showPopover();
    } else if (root.popover) {
      root.hidePopover();
      root.removeAttribute("popover");
    }
    root.focus({ preventScroll: true });
  }

  observe() {
    for (const element of this.observed) if (!element.isConnected) this.observed.delete(element);
    for (const element of this.root.querySelectorAll("[data-size]")) {
      const name = element.dataset.size;
      if (element.lvSize === name) continue;
      element.lvSize = name;
      this.observer.unobserve(element);
      this.observer.observe(element);
      this.observed.add(element);
    }
  }

  /** Save a view as it stands now; `what` is its name and the kind of file: "window.svg". */
  async save(what) {
    const [name, kind] = what.split("."), step = this.step();
    const tree = (STILLS[name] || PICTURES[name])(this, this.model, step, lookOf(this, name), noLights());
    const file = `lookahead_viz-${name}-step-${step.index}`;
    try {
      await savePicture(tree, file, kind, this.theme);
    } catch {
      this.note("This browser could not draw the picture as PNG. Save it as SVG.");
    }
  }

  scrub(event, element) {
    const box = element.getBoundingClientRect();
    return stepAt(this.model, box.width, event.clientX - box.left);
  }

  close() {
    this.closed = true;
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    clearTimeout(this.rest);
    clearTimeout(this.noteTimer);
  }
}

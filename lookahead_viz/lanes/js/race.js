/** One race: a model, a state, a root element. State changes; drawing follows once a frame. */
import { command, mustNotEscape } from "../../player/js/keys.js";
import {
  RACE_AXES, MOST_LANES, laneEnds, passLength, passesDone, raceMoments, readRace,
} from "./racemodel.js";
import { raceTree, whereAll } from "./racetree.js";
import { patch } from "../../player/js/vdom.js";

const WHOLE_MS = 12000, STILL_MS = 350, RACE_SPEEDS = [1, 2, 4, 0.5];
const READABLE_PX = 46, USUAL_COST = 100;

export class Race {
  /** @param {HTMLElement} root @param {object} data a payload @param {() => string} themeName */
  constructor(root, data, themeName) {
    this.root = root;
    this.themeName = themeName;
    this.frame = 0;
    this.open(data, {});
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(root);
    this.unlisten = this.listen();
    this.render();
  }

  /** Show another comparison; the reader's axis, cost and speed stay. */
  open(data, { axis = "passes", cost = null, speed = 1, zoom = false }) {
    this.model = readRace(data);
    const timed = this.model.lanes.some((lane) => lane.timed);
    const shown = new Set(this.model.lanes.slice(0, MOST_LANES).map((lane) => lane.index));
    this.state = {
      axis: axis === "time" && !timed ? "passes" : axis,
      cost: cost ?? this.model.cost ?? USUAL_COST,
      shown, speed, zoom, cursor: Infinity, playing: false, hover: null, table: false, help: false,
    };
  }

  follow(data) {
    this.open(data, this.state);
    this.schedule();
  }

  /** What the state means on the axis of the moment. */
  view() {
    const { axis, cost, shown, zoom } = this.state;
    const lanes = this.model.lanes.filter((lane) => shown.has(lane.index));
    const ends = lanes.map((lane) => laneEnds(lane, axis, cost));
    const total = Math.max(0, ...ends.map((all) => all[all.length - 1] || 0));
    const cursor = Math.min(this.state.cursor, total);
    const done = ends.map((all) => passesDone(all, cursor));
    const room = Math.max(this.root.clientWidth - 10, 200);
    const passes = Math.max(1, ...lanes.map((lane) => lane.passes.length));
    const width = zoom ? Math.max(room, passes * READABLE_PX) : room;
    return {
      lanes, ends, total, cursor, done, width, shown: room, px: total ? (width - 8) / total : 0,
      moments: raceMoments(ends), here: whereAll(lanes, done, cursor, axis), mono: THEMES.mono,
    };
  }

  change(changes) {
    const before = this.state;
    this.state = { ...before, ...changes };
    if (before.playing !== this.state.playing) this.tick();
    this.schedule();
  }

  /** A named command, of a key or a button. @returns whether it was one */
  run(name) {
    const { cursor, moments, total } = this.view();
    const tiny = 1e-9 * (total || 1);
    const to = (place) => this.change({ cursor: place, playing: false, hover: null });
    if (name === "on") to(moments.find((moment) => moment > cursor + tiny) ?? total);
    else if (name === "back") to(moments.findLast((moment) => moment < cursor - tiny) ?? 0);
    else if (name === "first") to(0);
    else if (name === "last") to(Infinity);
    else if (name === "on accepting") to(this.accepting(1));
    else if (name === "back accepting") to(this.accepting(-1));
    else if (name === "play") this.play(cursor >= total - tiny);
    else if (name === "speed") {
      const next = RACE_SPEEDS[(RACE_SPEEDS.indexOf(this.state.speed) + 1) % RACE_SPEEDS.length];
      this.change({ speed: next });
    } else if (name === "measured") this.setCost(this.model.cost);
    else if (["zoom", "table", "help"].includes(name)) this.change({ [name]: !this.state[name] });
    else if (/^view [1-4]$/.test(name)) this.setAxis(Object.keys(RACE_AXES)[name.slice(5) - 1]);
    else return false;
    return true;
  }

  /** The next place, in a direction, where a pass ends that gave several tokens. */
  accepting(direction) {
    const { lanes, ends, cursor, total } = this.view(), tiny = 1e-9 * (total || 1);
    const places = lanes.flatMap((lane, i) =>
      ends[i].filter((_, number) => lane.passes[number].tokens.length > 1));
    const beyond = places.filter((place) => direction * (place - cursor) > tiny);
    if (!beyond.length) return cursor;
    return direction > 0 ? Math.min(...beyond) : Math.max(...beyond);
  }

  play(ended) {
    const playing = !this.state.playing;
    this.change({ playing, hover: null, ...(playing && ended ? { cursor: 0 } : {}) });
  }

  /** Another axis, at the same pass of the lane with the most passes. */
  setAxis(axis) {
    if (axis === "time" && !this.model.lanes.some((lane) => lane.timed)) return;
    this.keepPlace({ axis, hover: null });
  }

  setCost(cost) {
    this.keepPlace({ cost });
  }

  keepPlace(changes) {
    const { lanes, ends, done, cursor, total } = this.view();
    let place = Infinity;
    if (cursor < total && lanes.length) {
      const longest = ends.reduce((best, all, i) => (all.length > ends[best].length ? i : best), 0);
      const { axis, cost } = { ...this.state, ...changes };
      place = lanes[longest].passes.slice(0, done[longest]).reduce((sum, pass) =>
        sum + passLength(pass, axis, cost), 0);
    }
    this.change({ ...changes, cursor: place });
  }

  /** Play: the whole race takes 12 s; where motion is unwanted, from pass to pass. */
  tick() {
    cancelAnimationFrame(this.playFrame);
    clearTimeout(this.playTimer);
    if (!this.state.playing) return;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.playTimer = setTimeout(() => this.jump(), STILL_MS / this.state.speed);
      return;
    }
    let last = performance.now();
    const turn = (now) => {
      const { cursor, total } = this.view();
      const place = cursor + ((now - last) * this.state.speed * total) / WHOLE_MS;
      last = now;
      this.advance(place, total);
      if (this.state.playing) this.playFrame = requestAnimationFrame(turn);
    };
    this.playFrame = requestAnimationFrame(turn);
  }

  jump() {
    const { cursor, moments, total } = this.view();
    this.advance(moments.find((moment) => moment > cursor + 1e-9 * total) ?? total, total);
    if (this.state.playing) this.playTimer = setTimeout(() => this.jump(), STILL_MS / this.state.speed);
  }

  advance(place, total) {
    const ended = place >= total;
    this.change({ cursor: ended ? Infinity : place, playing: !ended });
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  render() {
    this.setColours();
    const view = this.view();
    this.seen = view;
    patch(this.root, raceTree(this.model, this.state, view));
    if (this.state.zoom && view.cursor < view.total) this.scrollTo(view.cursor * view.px - view.shown / 2);
  }

  setColours() {
    const name = this.themeName();
    if (this.drawnTheme === name) return;
    this.drawnTheme = name;
    for (const [key, value] of Object.entries(THEMES[name])) {
      if (typeof value === "string") this.root.style.setProperty(`--lv-${key}`, value);
    }
  }

  /** Wide lanes scroll together. */
  scrollTo(left) {
    for (const box of this.root.querySelectorAll("[data-scroll]")) {
      if (Math.abs(box.scrollLeft - left) > 1) box.scrollLeft = left;
    }
  }

  listen() {
    const stops = [];
    const on = (target, name, handle, options) => {
      target.addEventListener(name, handle, options);
      stops.push(() => target.removeEventListener(name, handle, options));
    };
    const { root } = this;
    on(root, "pointermove", (event) => this.pointed(event));
    on(root, "pointerleave", () => this.state.hover && this.change({ hover: null }));
    on(root, "pointerdown", (event) => this.scrub(event));
    on(root, "click", (event) => this.clicked(event));
    on(root, "input", (event) => {
      if (event.target.dataset.cost) this.setCost(Number(event.target.value));
    });
    on(root, "scroll", (event) => {
      if (event.target.dataset && event.target.dataset.scroll) this.scrollTo(event.target.scrollLeft);
    }, true);
    on(root, "keydown", (event) => this.press(event, true));
    on(document, "pointerdown", () => { this.byPointer = true; }, true);
    on(document, "keydown", (event) => {
      if (event.key === "Tab") this.byPointer = false;
      if (!event.composedPath().includes(root)) this.press(event, false);
    }, true);
    return () => stops.forEach((stop) => stop());
  }

  pointed(event) {
    if (this.scrubbing) {
      this.scrubTo(event);
      return;
    }
    const element = event.target.closest ? event.target.closest("[data-pass]") : null;
    const [lane, pass] = element ? element.dataset.pass.split(":").map(Number) : [];
    const { hover } = this.state;
    const same = hover ? element && hover.lane === lane && hover.pass === pass : !element;
    if (!same) this.change({ hover: element ? { lane, pass } : null });
  }

  scrub(event) {
    const axis = event.target.closest && event.target.closest("[data-timeline]");
    if (!axis || event.button) return;
    this.scrubbing = axis;
    axis.setPointerCapture(event.pointerId);
    this.scrubTo(event);
    const stop = () => { this.scrubbing = null; };
    axis.addEventListener("pointerup", stop, { once: true });
    axis.addEventListener("pointercancel", stop, { once: true });
  }

  /** The cursor stands where passes end. */
  scrubTo(event) {
    const { px, moments } = this.seen, { left } = this.scrubbing.getBoundingClientRect();
    const place = (event.clientX - left) / (px || 1);
    const nearest = moments.reduce((best, moment) =>
      (Math.abs(moment - place) < Math.abs(best - place) ? moment : best), 0);
    this.change({ cursor: nearest, playing: false, hover: null });
  }

  clicked(event) {
    const { closest } = { closest: (selector) => event.target.closest && event.target.closest(selector) };
    const button = closest("[data-do],[data-axis],[data-lane]");
    if (button) {
      const { do: name, axis, lane } = button.dataset;
      if (name) this.run(name);
      else if (axis) this.setAxis(axis);
      else this.toggleLane(Number(lane));
      return;
    }
    const block = closest("[data-pass]");
    if (!block) return;
    const [lane, pass] = block.dataset.pass.split(":").map(Number), { lanes, ends } = this.seen;
    this.change({ cursor: ends[lanes.findIndex((one) => one.index === lane)][pass], playing: false });
  }

  toggleLane(index) {
    const shown = new Set(this.state.shown);
    if (!shown.delete(index)) shown.add(index);
    this.keepPlace({ shown, hover: null });
  }

  press(event, inside) {
    const target = inside ? event.target : event.composedPath()[0];
    if (inside && mustNotEscape(event)) event.stopPropagation();
    const name = command(event, target instanceof Element ? target : null, inside, this.byPointer);
    if (!name || !this.run(name)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  close() {
    this.change({ playing: false });
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.unlisten();
  }
}

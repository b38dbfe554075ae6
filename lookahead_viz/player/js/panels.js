/** The frame of the player: bar, sentence, timeline, text, and the panels around the pictures. */
import { askView, asking, hides } from "./ask.js";
import { jacobiGain } from "./jacobiview.js";
import { maskLegend, slotTable } from "./maskview.js";
import { poolView } from "./poolview.js";
import { count, stepSentence } from "./sentences.js";
import { sheetView } from "./help.js";
import { textView } from "./textview.js";
import { trieNote } from "./trie.js";
import { h } from "./vdom.js";
import { shorten } from "./words.js";
import { COLOURS, windowLegend } from "./windowview.js";

const SECOND = { window: "trie", mask: "window", trie: "window", pool: "window" };
const TITLES = {
  window: "Window", mask: "Mask: lines read columns", trie: "Candidates", pool: "Pool",
  jacobi: "Jacobi sheet: positions to the right, passes down", why: "Why?",
};
const NAMES = {
  window: "the window", mask: "the mask", trie: "the candidates", pool: "the pool",
  jacobi: "the Jacobi sheet", timeline: "the timeline", text: "the text",
};
const BODIES = { pool: "table", why: "text" };

/** Which panels stand where, by what is in focus: [large, beside it …]. */
export function panelsOf(model, state) {
  if (state.only) return state.only;
  if (model.kind === "greedy") return ["why"];
  if (model.kind !== "lookahead") return panelsOfOthers(model, state);
  if (state.lecture && state.focus === "mask") return ["mask", "why"];
  if (state.lecture) return [state.focus === "all" ? "window" : state.focus];
  if (state.focus === "all") return ["window", "trie", "mask", "why"];
  return [state.focus, SECOND[state.focus], "why"];
}

/** A draft has no window; of the Jacobi methods only multi-block Jacobi has candidates. */
function panelsOfOthers(model, state) {
  const { focus, lecture } = state, sheet = model.kind === "jacobi";
  const views = sheet ? ["trie", "mask", "pool"] : ["trie", "mask"];
  const main = sheet ? "jacobi" : "trie";
  const large = views.includes(focus) && (!sheet || model.blocks) ? focus : main;
  if (lecture) return large === "mask" ? ["mask", "why"] : [large];
  if (large !== main) return [large, main, "why"];
  return sheet ? ["jacobi", "why"] : ["trie", "mask", "why"];
}

/** The whole player as nodes. `pictures` holds the drawn views by name. */
export function playerTree(model, state, looks, lights, pictures, options) {
  const step = model.steps[state.step], panels = panelsOf(model, state);
  const all = model.kind === "lookahead" && !state.only;
  const shape = all && !state.lecture && state.focus === "all" ? "four"
    : panels.length === 1 ? "one" : state.only ? "stack" : panels.length === 2 ? "two" : "three";
  return [
    barView(model, state, step, options),
    state.ask ? askView(model, step, state, stepSentence(model, step)) : h("p", {
      class: "sentence", role: "status", "aria-live": "polite",
    }, stepSentence(model, step)),
    h("div", { class: "strip" }, h("div", { class: "timeline-box", "data-size": "timeline" },
      pictures.timeline || null), h("span", { class: "tools" }, saveButtons("timeline"))),
    h("div", { class: "strip" }, h("div", { class: panels.length ? "text-box" : "text-box whole",
      "data-size": "text", tabindex: 0, role: "region", "aria-label": "Text" },
    textView(model, step, lights, hides({ ask: asking(state) }, "text"))),
    h("span", { class: "tools" }, saveButtons("text"))),
    h("div", { class: `views ${shape}` }, panels.map((name) =>
      panel(name, model, state, step, looks, lights, pictures))),
    h("div", { class: "sheet-box" }, sheetView(state.sheet, Boolean(state.only))),
    h("div", { class: "note", role: "status" }, state.note ? h("span", {}, state.note) : null),
  ];
}

function barView(model, state, step, options) {
  const last = model.steps.length - 1;
  const phase = phaseWords(model, step);
  const accepted = `${count(step.accepted.length, "token")} accepted`;
  const marked = state.bookmarks.has(state.step);
  return h("div", { class: "bar", role: "group", "aria-label": "Player" },
    h(options.own ? "h1" : "div", { class: "title" },
      h("b", {}, state.only ? `Step ${step.index} of 0–${last}` : `Step ${step.index} / ${last}`),
      ` · ${phase}`, state.only ? "" : ` · ${accepted}`),
    h("span", { class: "buttons" },
      button("back", "◀", "One step back (Left)"),
      button("play", state.playing ? "❚❚" : "▶",
        state.playing ? "Pause (Space)" : "Play (Space)", state.playing),
      button("on", "▶|", "One step on (Right)"),
      button("speed", `${state.speed}×`, `Speed ${state.speed} times`),
      button("bookmark", marked ? "◆" : "◇", "Bookmark this step (M)", marked),
      button("words", "Words", "Words (G)", state.sheet === "words"),
      button("help", "?", "Keys (H)", state.sheet === "help"),
      button("lecture", "Lecture", "Lecture mode (L)", state.lecture),
      button("link", "Link", "Copy a link to this step"),
      options.own ? button("theme", "◐", "Light or dark") : null));
}

function phaseWords(model, step) {
  if (model.kind === "draft") return step.candidates.length ? "verify" : "no draft";
  if (model.kind === "jacobi") return `block ${step.block + 1}, iteration ${step.iteration}`;
  if (model.kind === "greedy") return "greedy";
  const nothing = model.G ? "nothing to verify" : "window full";
  const full = step.candidates.length ? "verify" : nothing;
  return { full, "warm-up": "warm-up", alone: "alone" }[step.phase];
}

function button(name, text, label, pressed) {
  return h("button", {
    type: "button", "data-do": name, "aria-label": label, title: label,
    "aria-pressed": pressed === undefined ? null : String(pressed),
  }, text);
}

function panel(name, model, state, step, looks, lights, pictures) {
  return h("section", { class: `panel ${name}`, "aria-label": TITLES[name] },
    h("div", { class: "panel-head" }, h("span", { class: "panel-title" }, title(name, model, step, looks)),
      tools(name, model, state, step, looks)),
    h("div", { class: "panel-body", "data-size": name, ...scrolling(name) },
      body(name, model, state, step, looks, lights, pictures)));
}

function scrolling(name) {
  if (name === "mask") return {};
  return { tabindex: 0, role: "group", "aria-label": `${TITLES[name]}, ${BODIES[name] || "picture"}` };
}

function title(name, model, step, looks) {
  if (name === "trie") {
    const what = model.kind === "draft" ? "Draft after" : "Candidates of";
    return `${what} ‘${shorten(model.texts[step.tokens[0]], 20)}’`;
  }
  if (name === "mask") {
    const wrong = model.unproved.includes(step.index);
    const name = looks.mask && looks.mask.room < 42 * looks.mask.px ? "Mask" : TITLES.mask;
    return `${name} · ${wrong ? "✗ NOT as it ran" : "✓ as it ran"}`;
  }
  if (name === "jacobi") return `Jacobi sheet · ${jacobiGain(model)}`;
  return TITLES[name];
}

function toggle(name, text, on, label) {
  return h("button", {
    type: "button", "data-toggle": name, "aria-pressed": String(Boolean(on)),
    title: label, "aria-label": label || text,
  }, text);
}

function tools(name, model, state, step, looks) {
  const found = [];
  if (name === "window") {
    for (const [colour, words] of Object.entries(COLOURS)) {
      if (colour === "probability" && !model.packed) continue;
      found.push(h("button", {
        type: "button", "data-colour": colour, "aria-pressed": String(state.colour === colour),
        title: `colour by ${words}`, "aria-label": `Colour by ${words}`,
      }, colour));
    }
    found.push(toggle("straighten", "straighten", state.straighten, "Straighten: each n-gram upright"));
  }
  if (name === "mask") {
    found.push(toggle("expected", "✗ expected", state.expected, "Mark the cells that many people expect to be on"));
    found.push(toggle("expanded", "committed", state.expanded, "Expand the committed text"));
    found.push(toggle("table", "table", state.table, "The slots as a table"));
  }
  if (name === "pool") found.push(toggle("allPool", "all keys", state.allPool, "Other keys too"));
  if (name === "jacobi") {
    found.push(toggle("whole", "whole run", state.whole, "All blocks in one sheet"));
  }
  if (name !== "why") found.push(saveButtons(name));
  return h("span", { class: "tools" }, found);
}

function saveButtons(name) {
  return ["svg", "png"].map((kind) => h("button", { type: "button", "data-save": `${name}.${kind}`,
    "aria-label": `Save ${NAMES[name]} as ${kind.toUpperCase()}` }, kind));
}

function body(name, model, state, step, looks, lights, pictures) {
  if (name === "why") return whyView(state, lights);
  if (name === "trie" && looks.trie && hides(looks.trie, "verdict")) {
    return [pictures.trie, ownTokens(model, step)];
  }
  if (name === "pool") return poolView(model, step, looks.pool || { all: state.allPool, width: 0 }, lights);
  if (name === "mask" && state.table) return tableView(model, step, lights);
  if (name === "mask" && pictures.mask && looks.mask.keyed) {
    return h("div", { class: `keyed ${looks.mask.keyed}` }, pictures.mask,
      legend(maskLegend(step.layout, looks.mask.theme, state.expected)));
  }
  if (name === "window" && looks.window) {
    return [pictures.window, legend(windowLegend(model, step, looks.window))];
  }
  if (name === "jacobi" && looks.jacobi) {
    return [pictures.jacobi, legend(jacobiLegend(looks.jacobi.theme))];
  }
  if (name === "trie" && looks.trie) return [pictures.trie, candidateTable(model, step, lights)];
  return pictures[name] || null;
}

export function jacobiLegend(theme) {
  return [[theme.plain, "not final"], [theme.lucky, "lucky: right, not guaranteed"],
    [theme.frozen, "frozen: guaranteed"], [theme.cursor, "line: frozen so far"],
    [theme.text, "dashed: one token a pass"],
    [theme.jacobi, "curve: right tokens"], ["none", "dotted: changed in this pass", true]];
}

/** Each guess above the model's own token at its place: all that a verdict needs. */
function ownTokens(model, step) {
  if (!step.candidates.length) return h("p", { class: "quiet" }, trieNote(model, step));
  const places = step.candidates[0].map((_, j) => `guess ${j + 1}`);
  return h("table", { class: "candidates", "aria-label": "Guesses and the model's own tokens" },
    h("thead", {}, h("tr", {}, ["", ...places, "after all"].map((name) =>
      h("th", { scope: "col" }, name || "candidate")))),
    step.candidates.map((tail, g) => h("tbody", {},
      h("tr", {}, h("th", { scope: "row" }, `${g + 1}`),
        tail.map((token) => h("td", {}, model.texts[token])), h("td", {}, "")),
      h("tr", { class: "quiet" }, h("th", { scope: "row" }, "the model's own"),
        [step.expected, ...step.candidatePredictions[g]].map((token) =>
          h("td", {}, model.texts[token]))))));
}

function candidateTable(model, step, lights) {
  if (!step.candidates.length) return h("p", { class: "quiet" }, trieNote(model, step));
  const head = ["", model.kind === "draft" ? "draft" : "candidate, oldest first", "matched"];
  return h("table", { class: "candidates", "aria-label": "The candidates as a table" },
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name || "#")))),
    h("tbody", {}, step.candidates.map((tail, g) => {
      const slots = step.candidateSlots[g];
      const lit = slots.some((slot) => lights.slots.has(slot));
      const won = g === step.winner && step.matched[g];
      return h("tr", { class: lit ? "lit" : "", "data-ref": `g:${slots[0]}` },
        h("td", {}, `${g + 1}`), h("td", {}, tail.map((token) => model.texts[token]).join("")),
        h("td", {}, `${won ? "✓ " : ""}${step.matched[g]} of ${tail.length}` +
          (g < step.pooled ? "" : ", from the window")));
    })));
}

function legend(entries) {
  return h("div", { class: "legend" }, entries.map(([colour, words, dotted]) => h("span", {},
    h("svg", { width: 12, height: 12, "aria-hidden": true }, h("rect", {
      x: 1, y: 1, width: 10, height: 10, fill: colour, "stroke-width": dotted ? 1.6 : 1,
      stroke: dotted ? "var(--lv-cursor)" : "var(--lv-outline)", "stroke-dasharray": dotted ? "2 2" : null,
    })), words)));
}

function tableView(model, step, lights) {
  const head = ["slot", "kind", "where", "position", "token", "prediction"];
  return h("table", { class: "slots", "aria-label": "The slots of this pass" },
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, slotTable(model, step).map((row) => h("tr", {
      class: lights.slots.has(row[0]) ? "lit" : "", "data-ref": `s:${row[0]}`,
    }, row.map((value) => h("td", {}, String(value)))))));
}

function whyView(state, lights) {
  if (!lights.title) {
    return h("p", { class: "quiet" }, "Point at anything: a cell, a ribbon, a line of the mask, a " +
      "candidate, a token of the text. Click to lock it.");
  }
  return [h("p", { class: "why-title" }, lights.title),
    ...lights.lines.map((line) => line.go ? h("p", {}, h("button", {
      type: "button", class: "go", "data-go": `${line.go.step}|${line.go.ref}`,
    }, line.text)) : h("p", { class: line.strong ? "strong" : "" }, line.text)),
    state.lock ? h("p", { class: "quiet" }, "Locked: click it again to let go.") : null];
}

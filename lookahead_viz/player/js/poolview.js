/** The pool: its size over the run, the n-grams of the current token first, each with its life. */
import { isLive, lastInsertion, poolOfKey } from "./provenance.js";
import { count } from "./sentences.js";
import { h } from "./vdom.js";
import { columns, shorten } from "./words.js";

const MOST = 30;

/** The rows to show at a step: those of the current token, then the newest others. */
export function poolRows(model, step, all) {
  const own = poolOfKey(model.pooled, step.tokens[0], step.index);
  if (!all) return own;
  const others = [];
  for (let id = model.pooled.entries.length - 1; id >= 0 && others.length < MOST; id--) {
    const entry = model.pooled.entries[id];
    if (entry.key !== step.tokens[0] && isLive(entry, step.index)) others.push(entry);
  }
  return own.concat(others);
}

const HEAD = ["n-gram", "entered", "from", "tried", "gave", "evicted"];
const CURVE = 34; // px

/** What stands above the n-grams. */
function poolSentence(model, step) {
  const own = poolOfKey(model.pooled, step.tokens[0], step.index).length;
  return `${model.pooled.sizes[step.index]} n-grams in the pool before this pass, ${own} start ` +
    `with ‘${shorten(model.texts[step.tokens[0]], 24)}’.`;
}

/** The pool as it stands on the page. */
export function poolView(model, step, look, lights) {
  const rows = poolRows(model, step, look.all);
  return [
    h("p", { class: "quiet" }, poolSentence(model, step)),
    look.width > 0 ? h("svg", {
      viewBox: `0 0 ${look.width} ${CURVE}`, width: look.width, height: CURVE, role: "img",
      "aria-label": `N-grams in the pool, pass by pass: ${model.pooled.sizes[step.index]} now`,
    }, sizeCurve(model, step, look.width, CURVE)) : null,
    rows.length ? h("table", { class: "pool", "aria-label": "N-grams in the pool" },
      h("thead", {}, h("tr", {}, HEAD.map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows.map((entry) => poolRow(model, step, entry, lights)))) : null,
  ];
}

/** How many n-grams the pool held before each step, with a mark at this one. */
function sizeCurve(model, step, width, height) {
  const { sizes } = model.pooled, most = Math.max(1, ...sizes);
  const x = (index) => 4 + index * (width - 8) / Math.max(sizes.length - 1, 1);
  const y = (size) => height - 3 - size * (height - 10) / most;
  const points = sizes.map((size, index) => `${x(index).toFixed(1)},${y(size).toFixed(1)}`);
  return [
    h("polyline", {
      points: points.join(" "), fill: "none", stroke: "var(--lv-lookahead)", "stroke-width": 2,
    }),
    h("circle", { cx: x(step.index), cy: y(sizes[step.index]), r: 4, fill: "var(--lv-cursor)" }),
  ];
}

/** The n-gram as text and the facts of its life up to this step. */
function poolFacts(model, step, entry) {
  const event = lastInsertion(entry, step.index);
  const text = [entry.key, ...entry.tail].map((token) => model.texts[token]).join("");
  const before = (events) => events.filter((one) => one.step <= step.index).length;
  const given = entry.won.filter((one) => one.step <= step.index)
    .reduce((sum, one) => sum + one.matched, 0);
  return [
    shorten(text, 40),
    event.step < 0 ? "prompt" : `step ${event.step}`,
    event.col === null ? event.source : `column ${event.col}`,
    String(before(entry.tried)), String(given),
    entry.evicted !== null && entry.evicted <= step.index ? `step ${entry.evicted}` : "",
  ];
}

function poolRow(model, step, entry, lights) {
  const [text, ...facts] = poolFacts(model, step, entry);
  return h("tr", { class: lights.entries.has(entry.id) ? "lit" : "" },
    h("th", { scope: "row" }, h("button", {
      type: "button", class: "thing", "data-ref": `p:${entry.id}`, "data-cell": "pool", title: text,
      "aria-label": poolWords(text, facts),
    }, text)), facts.map((fact) => h("td", {}, fact)));
}

/** The row as one sentence. */
function poolWords(text, [entered, from, tried, gave, evicted]) {
  const gone = evicted ? `, evicted at ${evicted}` : "";
  return `‘${text}’, entered at ${entered} from ${from}: tried ${count(Number(tried), "time")}, gave ` +
    `${count(Number(gave), "token")}${gone}.`;
}

/** The same as one SVG, to be saved. */
export function poolPicture(model, step, look) {
  const rows = poolRows(model, step, look.all).map((entry) => poolFacts(model, step, entry));
  const { px } = look, line = px * 1.6, mono = px * 0.61;
  const widths = HEAD.map((title, i) =>
    (Math.max(title.length, ...rows.map((row) => columns(row[i]))) + 2) * mono);
  const width = Math.max(px + widths.reduce((sum, one) => sum + one, 0), px * 40);
  const top = line + CURVE + line;
  const cells = (texts, y, ink, attrs) => texts.map((text, i) => h("text", {
    x: px / 2 + widths.slice(0, i).reduce((sum, one) => sum + one, 0), y, fill: ink,
    "font-size": px, "xml:space": "preserve", ...attrs,
  }, text));
  return h("svg", {
    viewBox: `0 0 ${width} ${top + line * (rows.length + 0.5)}`, width,
    height: top + line * (rows.length + 0.5), "font-family": look.mono,
  }, h("text", { x: px / 2, y: px * 1.2, "font-size": px, "font-family": look.font,
    fill: "var(--lv-text)" }, poolSentence(model, step)),
  h("g", { transform: `translate(0 ${line})` }, sizeCurve(model, step, width, CURVE)),
  cells(HEAD, top - px * 0.4, "var(--lv-muted)", { "font-family": look.font }),
  rows.map((row, i) => cells(row, top + line * (i + 0.8), "var(--lv-text)")).flat());
}

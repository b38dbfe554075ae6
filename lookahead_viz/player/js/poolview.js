/** The pool: the n-grams of the current token first, each with its life. */
import { isLive, lastInsertion, poolOfKey } from "./provenance.js";
import { h } from "./vdom.js";
import { shorten } from "./words.js";

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

export function poolView(model, step, look, lights) {
  const rows = poolRows(model, step, look.all);
  const size = model.pooled.sizes[step.index];
  const head = ["n-gram", "entered", "from", "tried", "gave", "evicted"];
  return [
    h("p", { class: "quiet" }, `${size} n-grams in the pool before this step, ` +
      `${poolOfKey(model.pooled, step.tokens[0], step.index).length} start with ‘` +
      `${shorten(model.texts[step.tokens[0]], 24)}’.`),
    rows.length ? h("table", { class: "pool" },
      h("thead", {}, h("tr", {}, head.map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows.map((entry) => poolRow(model, step, entry, lights)))) : null,
  ];
}

function poolRow(model, step, entry, lights) {
  const event = lastInsertion(entry, step.index);
  const text = [entry.key, ...entry.tail].map((token) => model.texts[token]).join("");
  const before = (events) => events.filter((one) => one.step <= step.index).length;
  const given = entry.won.filter((one) => one.step <= step.index)
    .reduce((sum, one) => sum + one.matched, 0);
  const cells = [
    event.step < 0 ? "prompt" : `step ${event.step}`,
    event.col === null ? event.source : `column ${event.col}`,
    String(before(entry.tried)), String(given),
    entry.evicted !== null && entry.evicted <= step.index ? `step ${entry.evicted}` : "",
  ];
  return h("tr", { class: lights.entries.has(entry.id) ? "lit" : "" },
    h("th", { scope: "row" }, h("button", {
      type: "button", class: "thing", "data-ref": `p:${entry.id}`, "data-cell": "pool",
    }, shorten(text, 40))), cells.map((cell) => h("td", {}, cell)));
}

/** What each lane has written so far, and the passes as a table. */
import { tokenGlyph } from "./laneview.js";
import { h } from "../../player/js/vdom.js";

/** The text of a lane after `done` passes: one box a pass, filled where it gave several tokens. */
export function laneText(model, lane, done, hover) {
  const start = h("span", { class: "quiet" }, model.cut ? "… " : "",
    model.prompt.map((token) => model.texts[token]).join(""));
  const boxes = lane.passes.slice(0, done).map((pass, number) => {
    const lit = hover && hover.lane === lane.index && hover.pass === number;
    const classes = ["box", pass.tokens.length > 1 ? "many" : "", number === done - 1 ? "now" : "",
      lit ? "lit" : ""];
    const words = pass.tokens.map((token, nth) => {
      const bad = tokenGlyph(lane, pass, nth) === "✗";
      return h("span", bad ? { class: "bad", title: lane.equality } : {},
        `${bad ? "✗" : ""}${model.texts[token]}`);
    });
    return [h("span", { class: classes.join(" "), "data-pass": `${lane.index}:${number}` }, words),
      h("wbr", {})];
  });
  return h("div", { class: "lane-text", tabindex: 0, role: "region",
    "aria-label": `Text of ${lane.label}` }, h("div", { class: "tokens" }, start, boxes));
}

/** All passes of the lanes shown, one line a pass. */
export function raceTable(model, lanes) {
  const most = Math.max(0, ...lanes.map((lane) => lane.passes.length));
  const rows = Array.from({ length: most }, (_, number) => h("tr", {},
    h("th", { scope: "row" }, `${number}`), lanes.map((lane) => {
      const pass = lane.passes[number];
      return h("td", {}, pass ? pass.tokens.map((token) => model.texts[token]).join(" | ") : "");
    })));
  return h("div", { class: "race-table", tabindex: 0, role: "region", "aria-label": "Passes as a table" },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "pass"),
      lanes.map((lane) => h("th", { scope: "col" }, lane.label)))), h("tbody", {}, rows)));
}

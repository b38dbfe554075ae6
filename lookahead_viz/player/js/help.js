/** The help sheet and the glossary, which is `glossary.py`'s (see `bundle.py`). */
import { h } from "./vdom.js";

const KEYS = [
  ["← →", "one step back, one step on"],
  ["Shift ← →", "to the previous, next step where several tokens were accepted"],
  ["Home End", "to the first, last step"],
  ["Space", "play, pause"],
  ["1 2 3 4", "window, mask, candidates, pool large; again: all in one look"],
  ["J K", "read the next, previous line of the mask"],
  ["W A S D", "move among the cells of a view, once Tab has brought you there"],
  ["Enter", "lock what is looked at, or let it go"],
  ["M", "bookmark this step; B goes to the next bookmark"],
  ["L", "lecture mode"],
  ["Esc", "close this sheet, leave lecture mode"],
  ["G H", "words, this help"],
];

const CARD_KEYS = ["N P", "the next, previous card"];

/** The sheet that is open, or nothing. */
export function sheetView(open, lesson = false) {
  if (!open) return [];
  const [title, entries] = open === "help" ? ["Keys", lesson ? [...KEYS, CARD_KEYS] : KEYS] : ["Words", GLOSSARY];
  return [h("section", { class: "sheet", "aria-label": title, tabindex: 0 },
    h("h2", {}, title),
    h("button", { type: "button", class: "close", "data-do": "close", "aria-label": "Close" }, "✕"),
    h("dl", {}, entries.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]).flat()))];
}

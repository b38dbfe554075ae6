/** The help sheet and the short list of words. */
import { h } from "./vdom.js";

const KEYS = [
  ["← →", "one step back, one step on"],
  ["Shift ← →", "to the previous, next step that accepted several tokens"],
  ["Home End", "to the first, last step"],
  ["Space", "play, pause"],
  ["1 2 3 4", "window, mask, candidates, pool large; again: all in one look"],
  ["J K", "read the next, previous row of the mask"],
  ["W A S D", "move among the cells of a view, once Tab has brought you there"],
  ["Enter", "lock what is looked at, or let it go"],
  ["M", "bookmark this step; B goes to the next bookmark"],
  ["L", "lecture mode"],
  ["G H", "words, this help"],
];

const WORDS = [
  ["step, pass", "one forward pass of the model"],
  ["current token", "the last accepted token, not yet in the cache; slot 0"],
  ["window", "the grid of guesses: rows, columns, cells; W columns"],
  ["n-gram", "N tokens in a row: one column read downwards and its prediction; the first is the key"],
  ["pool", "n-grams kept by key, for later steps"],
  ["candidate, guess", "an n-gram taken up for verification; one token of it"],
  ["slot", "a place in the packed input of one pass"],
  ["accepted", "tokens this step wrote into the text"],
  ["★ bonus", "the model's own next token after the matched ones"],
  ["frozen, lucky", "guaranteed final; already equal to the final token, but not guaranteed yet"],
  ["compression", "accepted tokens ÷ steps: not a speed-up in seconds"],
];

/** The sheet that is open, or nothing. */
export function sheetView(open) {
  if (!open) return [];
  const [title, entries] = open === "help" ? ["Keys", KEYS] : ["Words", WORDS];
  return [h("section", { class: "sheet", "aria-label": title },
    h("h2", {}, title),
    h("button", { type: "button", class: "close", "data-do": "close", "aria-label": "Close" }, "✕"),
    h("dl", {}, entries.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]).flat()))];
}

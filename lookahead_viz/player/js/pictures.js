/** What each view draws: as it is on the page, and as it is in a file. */
import { asking, hides, pointedAt } from "./ask.js";
import { jacobiView } from "./jacobiview.js";
import { maskGeometry, maskShapes, maskSvg } from "./maskview.js";
import { poolPicture } from "./poolview.js";
import { textPicture } from "./textview.js";
import { timelineBars, timelinePicture, timelineView } from "./timeline.js";
import { trieView } from "./trie.js";
import { h } from "./vdom.js";
import { windowView } from "./windowview.js";

/** Views that look otherwise in a file: what is a table, a text or a canvas on the page. */
export const STILLS = {
  timeline: (player, model, step, look) => timelinePicture(model, player.state, look, Boolean(look.ask)),
  text: (player, model, step, look) => textPicture(model, step, look, hides(look, "text")),
  pool: (player, model, step, look) => poolPicture(model, step, look),
  mask: (player, model, step, look) => {
    const geometry = maskGeometry(model, step, look);
    return maskSvg(geometry, maskShapes(model, step, look, geometry), look);
  },
};

/** What a screen reader says when a key moved to another cell of the mask. */
function cellHeard({ model, state }, step, lights) {
  if (!lights.cell) return "";
  if (asking(state)) return pointedAt(model, step, state);
  return [lights.title, ...lights.lines.slice(0, 1).map((line) => line.text)].join(". ");
}

export const PICTURES = {
  timeline: (player, model, step, look) => {
    const sized = { ...look, height: player.sizes.timeline.height - 1 };
    player.bars = player.bars || timelineBars(model, sized.width, sized.height);
    const bars = look.ask ? { ...player.bars, guesses: "", own: "" } : player.bars;
    return timelineView(model, player.state, sized, bars);
  },
  window: (player, model, step, look, lights) => windowView(model, step, look, lights),
  trie: (player, model, step, look, lights) => trieView(model, step, look, lights),
  jacobi: (player, model, step, look, lights) => jacobiView(model, step, look, lights),
  mask: (player, model, step, look, lights) => h("div", {
    class: "mask-box", role: "application", tabindex: 0, "data-cell": "mask",
    "aria-roledescription": "attention mask",
    "aria-label": lights.cell ? [lights.title, ...lights.lines.map((line) => line.text)].join(". ")
      : "Attention mask. W, A, S, D move from cell to cell.",
  }, h("span", { class: "said-only", role: "status" }, cellHeard(player, step, lights)),
  h("canvas", { class: "mask-canvas", "data-own": "1", "aria-hidden": true }),
  h("canvas", { class: "mask-canvas over", "data-own": "1", "aria-hidden": true })),
};

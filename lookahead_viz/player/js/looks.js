/** How a view looks now: its room, its colours and letters, what its legend leaves of it. */
import { asking } from "./ask.js";
import { maskKeyPlace, maskKeyWidth } from "./maskview.js";
import { jacobiLegend, panelsOf } from "./panels.js";
import { windowLegend } from "./windowview.js";

const PLAIN_PX = 13, LECTURE_PX = 19;

/** Sizes, colours and letters for the view of `player` called `name`. */
export function lookOf(player, name) {
  const { model, state } = player, size = player.sizes[name] || { width: 0, height: 0 };
  const { straighten, expanded, expected, colour, lecture, whole, playing } = state;
  const all = state.allPool;
  const px = lecture ? LECTURE_PX : PLAIN_PX;
  const narrow = size.width < 34 * px;
  const least = state.only ? 150 : 220;
  const keyed = name === "mask" && !narrow && size.height > least ? maskKeyPlace(size, px) : "";
  const look = {
    theme: player.theme, mono: THEMES.mono, font: THEMES.font, px, straighten, expanded, expected,
    colour, whole, playing, all, narrow, keyed, ask: asking(state),
    room: size.width, width: size.width - 2 - (keyed === "beside" ? maskKeyWidth(px) : 0),
  };
  return { ...look, height: size.height - 2 - legendHeight(model, state, name, look) };
}

/** What the legend below a picture takes away from it. */
function legendHeight(model, state, name, look) {
  const panels = panelsOf(model, state);
  const hidden = panels.length === 3 && panels.indexOf(name) === 1;
  const entries = hidden ? [] : name === "window" ? windowLegend(model, model.steps[state.step], look)
    : name === "jacobi" ? jacobiLegend(look.theme) : [];
  const px = state.lecture ? 15 : 11; // as in player.css
  if (look.keyed === "below") return px * 1.35 + 5;
  let rows = entries.length ? 1 : 0, x = 0;
  for (const [, words] of entries) {
    const size = 15 + words.length * px * 0.58;
    if (x && x + size > look.width) [rows, x] = [rows + 1, 0];
    x += size + 12;
  }
  return rows ? rows * px * 1.35 + 5 : 0;
}

/** The frame of the race: bar, headline, lanes with their facts and texts, axis, sentence. */
import { laneHeight, laneSvg, raceAxis } from "./laneview.js";
import { RACE_AXES, MOST_LANES, LEAST_LANES, laneUnit, tokensAfter } from "./racemodel.js";
import { laneText, raceTable } from "./racetext.js";
import { h } from "../../player/js/vdom.js";

const RACE_KEYS = "← → one pass ends · Shift+← → next pass of several tokens · Space play · " +
  "Home, End · 1 to 4 axis · point at a block for what its pass did";

/** The whole race as nodes. `view` holds what `race.js` worked out for this state. */
export function raceTree(model, state, view) {
  const { lanes } = view;
  return [
    raceBar(model, state),
    laneChips(model, state),
    h("p", { class: "race-headline" }, headline(state, view)),
    state.table ? raceTable(model, lanes) : h("div", { class: "lanes-box" },
      lanes.map((lane, i) => laneRow(model, lane, state, view, i)),
      h("div", { class: "lane-box axis-box", "data-scroll": "1" },
        raceAxis(view, view.moments, RACE_AXES[state.axis].unit))),
    h("p", { class: "race-unit quiet" }, axisWords(model, state, lanes)),
    h("p", { class: "race-say", role: "status", "aria-live": state.playing ? "off" : "polite" },
      state.help ? RACE_KEYS : raceSentence(model, state, view)),
  ];
}

function raceBar(model, state) {
  return h("div", { class: "race-bar", role: "group", "aria-label": "Race" },
    h("span", { class: "buttons", role: "group", "aria-label": "Along" },
      Object.entries(RACE_AXES).map(([axis, { name }], i) => h("button", {
        type: "button", "data-axis": axis, "aria-pressed": String(state.axis === axis),
        title: `Along ${name} (${i + 1})`,
        disabled: axis === "time" && !model.lanes.some((lane) => lane.timed) ? "" : null,
      }, name))),
    h("span", { class: "buttons" },
      raceButton("back", "◀", "Back to the end of the pass before (Left)"),
      raceButton("play", state.playing ? "❚❚" : "▶",
        state.playing ? "Pause (Space)" : "Play (Space)", state.playing),
      raceButton("on", "▶|", "On to the end of the next pass (Right)"),
      raceButton("speed", `${state.speed}×`, `Speed ${state.speed} times`),
      raceButton("zoom", "wide", "Blocks wide enough to read", state.zoom),
      raceButton("table", "table", "The passes as a table", state.table),
      raceButton("help", "?", "Keys (H)", state.help)),
    state.axis === "modelled" ? costSlider(model, state) : null);
}

function raceButton(name, text, label, pressed) {
  return h("button", {
    type: "button", "data-do": name, "aria-label": label, title: label,
    "aria-pressed": pressed === undefined ? null : String(pressed),
  }, text);
}

function costSlider(model, state) {
  const measured = model.cost === null ? null : h("button", { type: "button", "data-do": "measured",
    title: "What the recorded times of this comparison say" }, `as measured: +${model.cost} %`);
  return h("span", { class: "race-cost" }, h("label", {},
    `A pass with 60 extra slots costs +${state.cost} % `, h("input", {
      type: "range", min: 0, max: Math.max(300, model.cost || 0), step: 1, value: state.cost,
      "data-cost": "1", "aria-label": "What a pass with 60 extra slots costs more, in per cent",
    })), measured);
}

/** Which methods race: two to five of those that there are. */
function laneChips(model, state) {
  if (model.lanes.length <= LEAST_LANES) return null;
  const shown = state.shown.size;
  return h("div", { class: "race-chips", role: "group", "aria-label": "Lanes" },
    model.lanes.map((lane) => {
      const on = state.shown.has(lane.index);
      const stuck = on ? shown <= LEAST_LANES : shown >= MOST_LANES;
      return h("button", { type: "button", "data-lane": lane.index, "aria-pressed": String(on),
        disabled: stuck ? "" : null,
        title: stuck ? `${LEAST_LANES} to ${MOST_LANES} lanes` : null }, lane.label);
    }));
}

function headline(state, { lanes, ends }) {
  return lanes.map((lane, i) => {
    const total = ends[i][ends[i].length - 1] || 0;
    if (state.axis === "time" && !lane.timed) return `${lane.label}: no measured time`;
    return `${lane.label}: ${laneUnit(total, state.axis)}`;
  }).join(" · ");
}

function laneRow(model, lane, state, view, i) {
  const done = view.done[i], passes = lane.passes.length;
  const per = passes ? (lane.tokens / passes).toFixed(2) : "0";
  const facts = [`${passes} passes`, `${per} tokens per pass`, `${lane.slots} slots fed`];
  if (lane.drafts) facts.push(`+ ${lane.drafts} passes of the draft model`);
  if (lane.timed) facts.push(`${(lane.ms / 1000).toFixed(2)} s`);
  const look = { ...view, done, hover: state.hover,
    label: `${lane.label}: ${facts.join(", ")}; ${lane.equality}` };
  return h("section", { class: "lane", "aria-label": lane.label,
    style: `--lane: var(--lv-${lane.fill}); --lane-text: var(--lv-${lane.fill}-text)` },
  h("div", { class: "lane-head" }, h("b", {}, lane.label), h("span", {}, facts.join(" · ")),
    laneBadge(lane)),
  h("div", { class: "lane-box", "data-scroll": "1", style: `height: ${laneHeight(lane) + 2}px` },
    laneSvg(model, lane, view.ends[i], look)),
  laneText(model, lane, done, state.hover));
}

function laneBadge(lane) {
  const mark = lane.identical === true ? "✓ " : lane.identical === false ? "✗ " : "";
  return h("span", { class: `badge ${lane.identical === false ? "bad" : ""}` },
    `${mark}${lane.equality}`);
}

function axisWords(model, state, lanes) {
  const { unit } = RACE_AXES[state.axis];
  if (state.axis === "modelled") return `${unit}.${draftWords(lanes)}`;
  if (state.axis !== "time") {
    const drafts = lanes.some((lane) => lane.drafts) ? ". Passes of a draft model are not on this axis" : "";
    return `${unit}${drafts}`;
  }
  const untimed = lanes.some((lane) => !lane.timed) ? " A lane without measured times has no length." : "";
  return `${unit}${model.machine ? `, on the machine that recorded it: ${model.machine}.` : "."}${untimed}`;
}

/** What a pass of a draft model counts on the axis of modelled time. */
function draftWords(lanes) {
  return lanes.filter((lane) => lane.drafts).map((lane) => (lane.draft === null
    ? ` ${lane.label}: what its draft model costs was not measured, so it costs nothing here.`
    : ` ${lane.label}: a pass of its draft model counts ${lane.draft.toFixed(2)}, as measured.`)).join("");
}

function raceSentence(model, state, view) {
  if (state.hover) {
    const lane = model.lanes[state.hover.lane];
    return `${lane.label}. ${lane.passes[state.hover.pass].sentence}`;
  }
  return view.here;
}

/** Where every lane is at the cursor. */
export function whereAll(lanes, done, cursor, axis) {
  const parts = lanes.map((lane, i) => {
    const tokens = tokensAfter(lane, done[i]), all = done[i] === lane.passes.length;
    return `${lane.label} ${tokens}${all ? (lane.ended ? " (done)" : ` (${lane.finish})`) : ""}`;
  });
  return `After ${laneUnit(cursor, axis)}, tokens: ${parts.join(" · ")}`;
}

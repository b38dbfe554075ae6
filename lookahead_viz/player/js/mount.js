/** Where players live: a component of the app, or a page of their own. */
import { appTheme } from "./apptheme.js";
import { listen } from "./events.js";
import { Player } from "./player.js";
import { cellOfRef } from "./state.js";

const instances = new WeakMap();

/** What the last player of this tab showed when its page was left, and when that was. */
const left = { step: 0, lock: null, lecture: false, at: -Infinity };
const FRESH_MS = 5000;

/** What Python sent: objects come alone in a list (see `wrapped` in `ui/player.py`). */
function unwrapped(sent) {
  const alone = (value) => Array.isArray(value) && value.length === 1 && typeof value[0] === "object";
  return Object.fromEntries(Object.entries(sent).map(([name, value]) =>
    [name, alone(value) ? value[0] : value]));
}

/** The entry point of the app's component; called again when the data or the theme changed. */
export function mountComponent({ data: sent, parentElement, setStateValue, setTriggerValue }) {
  const data = unwrapped(sent);
  const known = instances.get(parentElement);
  if (known) {
    known.adopt(data, setStateValue, setTriggerValue);
    return known.close;
  }
  let tell = setStateValue, trigger = setTriggerValue, given = data;
  const root = makeRoot(parentElement);
  const player = new Player(root, data.run, data.start, {
    themeName: () => appTheme(parentElement),
    settled: ({ step, cell, lecture }) => {
      const mark = `${cell}|${lecture ? 1 : ""}`;
      tell("step", step);
      if (mark !== player.mark) tell("mark", mark);
      player.mark = mark;
    },
    link: appLink,
    picked: (ref) => trigger("pick", ref),
  });
  player.mark = `${data.start.cell || ""}|${data.start.lecture ? 1 : ""}`;
  const unlisten = listen(player);
  player.pose(data);
  if (!data.apart && performance.now() - left.at < FRESH_MS) player.resume(left);
  if (player.state.lecture) player.setLecture();
  takeFocus(root);
  instances.set(parentElement, {
    adopt(next, setState, setTrigger) {
      [tell, trigger] = [setState, setTrigger];
      const another = next.key !== given.key;
      if (another || next.start.nonce !== given.start.nonce) {
        player.follow(next.run, next.start, another);
      }
      player.pose(next);
      given = next;
    },
    close() {
      // a page can be left before it was told the last step
      const { step, lock, lecture } = player.state;
      if (!data.apart && player.untold()) Object.assign(left, { step, lock, lecture, at: performance.now() });
      unlisten();
      player.close();
      root.remove();
      instances.delete(parentElement);
    },
  });
  return instances.get(parentElement).close;
}

function makeRoot(parent) {
  const root = document.createElement("div");
  root.className = "lv";
  root.tabIndex = -1;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Step player. H shows the keys.");
  parent.appendChild(root);
  return root;
}

/** Keys work at once, and nobody's focus is taken. */
function takeFocus(root) {
  const holder = document.activeElement;
  if (!holder || holder === document.body) root.focus({ preventScroll: true });
}

function linkParts(state, model) {
  const parts = { step: state.step, cell: cellOfRef(state.lock), lecture: state.lecture ? "1" : "" };
  for (const size of ["W", "N", "G"]) if (model[size] !== undefined) parts[size] = model[size];
  return parts;
}

function appLink(state, model) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(linkParts(state, model))) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

/** The entry point of an exported file: the run is in the page. */
export function mountPage(container, data) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const start = {
    step: Number(asked.get("step")) || 0,
    cell: asked.get("cell"),
    lecture: asked.get("lecture") === "1",
    focus: asked.get("view") || "all",
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const player = new Player(makeRoot(container), data, start, {
    own: true,
    themeName: () => (dark.matches ? "dark" : "light"),
    settled: (state) => writeHash(state),
    link: (state, model) => {
      const parts = Object.entries(linkParts(state, model)).filter(([, value]) => value !== "");
      return `${location.href.split("#")[0]}#${new URLSearchParams(parts)}`;
    },
  });
  dark.addEventListener("change", () => player.schedule());
  listen(player);
  takeFocus(player.root);
  return player;
}

function writeHash({ step, cell, lecture }) {
  const parts = [["step", step], ["cell", cell], ["lecture", lecture ? "1" : ""]];
  const hash = new URLSearchParams(parts.filter(([, value]) => value !== ""));
  try {
    history.replaceState(null, "", `#${hash}`);
  } catch {
    // a sandboxed frame has no history of its own
  }
}

/** Where difference views live: a component of the app, or a report of their own. */
import { appTheme } from "../../player/js/apptheme.js";
import { Lab } from "./lab.js";

const KEYS = {
  n: "next", p: "previous", "+": "in", "=": "in", "-": "out", 0: "fit", b: "tiles",
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
};
const labs = new WeakMap();

/** The entry point of the app's component; called again when the data or the theme changed. */
export function mountLab({ data, parentElement }) {
  const known = labs.get(parentElement);
  if (known) {
    if (known.key === data.key) known.lab.render();
    else known.lab.take(data);
    known.key = data.key;
    return known.close;
  }
  const root = labRoot(parentElement);
  const lab = new Lab(root, data, () => appTheme(parentElement));
  const unlisten = listenTo(lab);
  const close = () => {
    unlisten();
    lab.close();
    root.remove();
    labs.delete(parentElement);
  };
  labs.set(parentElement, { lab, key: data.key, close });
  return close;
}

/** The entry point of a report: the masks are in the page. */
export function mountLabPage(container, data) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = labRoot(container);
  const lab = new Lab(root, data, () => (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => lab.render());
  listenTo(lab);
  return lab;
}

function labRoot(parent) {
  const root = document.createElement("div");
  root.className = "lvd";
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label",
    "Difference of the masks. N and P: next and previous difference; arrows: one cell.");
  parent.appendChild(root);
  return root;
}

/** Keys, buttons, pointer; returns what takes it all back. */
function listenTo(lab) {
  const { root, canvas } = lab;
  let drag = null;
  const on = {
    keydown: (event) => {
      const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.stopPropagation(); // the app has keys of its own: r would run it again
      if (name && lab.command(name)) event.preventDefault();
    },
    click: (event) => {
      const button = event.target.closest("[data-command]");
      if (button) lab.command(button.dataset.command);
    },
  };
  for (const [name, act] of Object.entries(on)) root.addEventListener(name, act);
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && event.buttons) pan(lab, drag, event);
    else {
      lab.hover = lab.point(event);
      lab.render();
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const cell = lab.point(event);
    if (drag && !drag.moved && cell) lab.go(cell, false);
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    lab.hover = null;
    lab.render();
  });
  return () => {
    for (const [name, act] of Object.entries(on)) root.removeEventListener(name, act);
  };
}

function pan(lab, drag, event) {
  const [across, down] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.abs(across) + Math.abs(down) < 5) return;
  lab.look.x -= across;
  lab.look.y -= down;
  Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
  lab.render();
}

/** The glossary on pages that have no player: a button, and the key G. */
import { appTheme } from "../../js/apptheme.js";
import { sheetView } from "../../js/help.js";
import { command } from "../../js/keys.js";
import { h, patch } from "../../js/vdom.js";

const glossaries = new WeakMap();

/** The entry point of the app's component; called again when the theme changed. */
export function mountWords({ parentElement }) {
  const known = glossaries.get(parentElement);
  if (known) {
    known.draw();
    return known.close;
  }
  const root = document.createElement("div");
  root.className = "glossary";
  parentElement.appendChild(root);
  let open = false, before = null;
  const draw = () => {
    for (const [key, value] of Object.entries(THEMES[appTheme(parentElement)])) {
      if (typeof value === "string") root.style.setProperty(`--lv-${key}`, value);
    }
    patch(root, [h("button", { type: "button", "data-do": "words", "aria-expanded": String(open) },
      "Words ", h("kbd", {}, "G")),
    h("div", { class: "over", popover: "manual" }, sheetView(open ? "words" : null))]);
  };
  const turn = (yes) => {
    if (open === yes) return;
    open = yes;
    if (open) before = document.activeElement;
    draw();
    const over = root.querySelector(".over");
    if (open) {
      over.showPopover();
      over.querySelector(".sheet").focus();
    } else {
      over.hidePopover();
      if (before && before.isConnected) before.focus({ preventScroll: true });
    }
  };
  const press = (event) => {
    if (event.defaultPrevented) return; // a player has taken it
    const target = event.composedPath()[0];
    const name = command(event, target instanceof Element ? target : null, false);
    if (name === "words") turn(!open);
    else if (event.key === "Escape" && open) turn(false);
    else return;
    event.preventDefault();
  };
  const click = (event) => {
    const pressed = event.target.closest("[data-do]");
    if (pressed) turn(pressed.dataset.do === "words" && !open);
  };
  root.addEventListener("click", click);
  window.addEventListener("keydown", press);
  draw();
  const close = () => {
    window.removeEventListener("keydown", press);
    root.remove();
    glossaries.delete(parentElement);
  };
  glossaries.set(parentElement, { draw, close });
  return close;
}

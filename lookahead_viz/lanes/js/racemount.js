/**
 * The entry point of the app's component; called again when the data or the theme changed.
 * `data.race` is a list of one payload.
 */
import { appTheme } from "../../player/js/apptheme.js";
import { Race } from "./race.js";

const races = new WeakMap();

export function mountRace({ data, parentElement }) {
  const known = races.get(parentElement);
  if (known) {
    if (known.key !== data.key) known.race.follow(data.race[0]);
    else known.race.schedule();
    known.key = data.key;
    return known.close;
  }
  const root = document.createElement("div");
  root.className = "race";
  root.tabIndex = -1;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Race. H shows the keys.");
  parentElement.appendChild(root);
  const race = new Race(root, data.race[0], () => appTheme(parentElement));
  const holder = document.activeElement;
  if (!holder || holder === document.body) root.focus({ preventScroll: true });
  const close = () => {
    race.close();
    root.remove();
    races.delete(parentElement);
  };
  races.set(parentElement, { race, key: data.key, close });
  return close;
}

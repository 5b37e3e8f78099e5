// The icons of the toolbar, as lines in a square of 16.

import { makeSvg } from "./dom.js";

const PATHS = {
  "side-by-side": "M1.5 3h5.5v10H1.5zM9 3h5.5v10H9z",
  overlay: "M1.5 1.5h9v9h-9zM5.5 5.5h9v9h-9z",
  swipe: "M1.5 3h13v10h-13zM8 .5v15M5.5 6.5 4 8l1.5 1.5M10.5 6.5 12 8l-1.5 1.5",
  blink: "M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  difference: "M8 2v8M4 6h8M4 13.5h8",
  previous: "M10 3 5 8l5 5",
  next: "M6 3l5 5-5 5",
  "zoom-out": "M3 8h10",
  "zoom-in": "M3 8h10M8 3v10",
  highlights: "M2 3.5h12v9H2zM5 6.5h6v3H5z",
  magnifier: "M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14.5 14.5",
  before: "M8 3.5V8l-3 2M2 8a6 6 0 1 0 2-4.5M2 2v3h3",
  pause: "M5 3v10M11 3v10",
  play: "M4.5 2.5 13 8l-8.5 5.5z",
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function makeIcon(name) {
  return makeSvg(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" },
    makeSvg("path", { d: PATHS[name] }),
  );
}

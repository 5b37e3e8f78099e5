// The zoom as one list, which also says the current zoom.

import { formatZoom } from "./camera.js";
import { make, setText } from "./dom.js";

/** @typedef {"width" | "change" | "100" | "in" | "out"} ZoomCommand */

/** @type {readonly [ZoomCommand, string][]} */
const CHOICES = [
  ["width", "Fit width"],
  ["change", "Fit change"],
  ["100", "100 %"],
];

export class ZoomSelect {
  #now = make("option", { value: "" });
  element = make("select", { class: "zoom-select", "aria-label": "Zoom level" }, this.#now);

  /** @param {(command: ZoomCommand) => void} onChoose */
  constructor(onChoose) {
    this.element.append(...CHOICES.map(([value, name]) => make("option", { value }, name)));
    this.element.addEventListener("change", () => {
      const chosen = CHOICES.find(([value]) => value === this.element.value);
      this.element.value = "";
      if (chosen) {
        onChoose(chosen[0]);
      }
    });
  }

  /** @param {number} zoom */
  update(zoom) {
    setText(this.#now, formatZoom(zoom));
  }
}

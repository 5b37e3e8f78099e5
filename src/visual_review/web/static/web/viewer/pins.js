// The numbered places of comments above one pane; a pin stays on its point of the image.

/** @import { Pin, Point } from "./types.js" */

import { make } from "./dom.js";

export class Pins {
  element = make("div", { class: "pins" });
  /** @type {readonly Pin[] | null} */
  #shown = null;

  /**
   * @param {readonly Pin[]} pins
   * @param {number} zoom
   * @param {Point} origin Where the first pixel of the image is.
   */
  update(pins, zoom, origin) {
    if (pins !== this.#shown) {
      this.#shown = pins;
      this.element.replaceChildren(...pins.map(makePin));
    }
    pins.forEach(({ x, y }, index) => {
      const pin = this.element.children[index];
      if (pin instanceof HTMLElement) {
        // The middle of the pixel.
        pin.style.translate = `${origin.x + (x + 0.5) * zoom}px ${origin.y + (y + 0.5) * zoom}px`;
      }
    });
  }
}

/** @param {Pin} pin */
function makePin({ id, number, label }) {
  const pin = make("button", { type: "button", class: "pin", "aria-label": label }, number);
  pin.addEventListener("click", () => {
    pin.dispatchEvent(new CustomEvent("viewerpin", { detail: { id }, bubbles: true, composed: true }));
  });
  return pin;
}

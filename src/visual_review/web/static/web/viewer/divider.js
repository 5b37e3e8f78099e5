// The divider of the swipe mode, moved by pointer and by keys.

import { clamp } from "./camera.js";
import { make, setAll } from "./dom.js";

const STEP = 0.02;
const LARGE_STEP = 0.1;

export class Divider {
  element = make(
    "div",
    {
      class: "divider",
      part: "divider",
      role: "slider",
      tabindex: "0",
      "aria-label": "Divider between before and after",
      "aria-valuemin": "0",
      "aria-valuemax": "100",
      hidden: "",
    },
    make("div", { class: "divider-handle" }),
  );
  #position = 0.5;

  /** @param {(position: number) => void} onMove Called with a position from 0 to 1. */
  constructor(onMove) {
    this.onMove = onMove;
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      const frame = this.element.parentElement?.getBoundingClientRect();
      if (frame && this.element.hasPointerCapture(event.pointerId)) {
        this.onMove(clamp((event.clientX - frame.x) / frame.width, 0, 1));
      }
    });
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {number} position */
  update(position) {
    this.#position = position;
    this.element.style.setProperty("inset-inline-start", `${position * 100}%`);
    const percent = Math.round(position * 100);
    setAll(this.element, { "aria-valuenow": percent, "aria-valuetext": `${percent} % before` });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const step = event.shiftKey ? LARGE_STEP : STEP;
    const targets = new Map([
      ["ArrowLeft", this.#position - step],
      ["ArrowRight", this.#position + step],
      ["Home", 0],
      ["End", 1],
    ]);
    const target = targets.get(event.key);
    if (target !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      event.stopPropagation();
      this.onMove(clamp(target, 0, 1));
    }
  }
}

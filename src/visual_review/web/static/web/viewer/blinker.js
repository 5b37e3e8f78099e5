// Alternates the sides in the blink mode; under reduced motion only by hand.

import { prefersReducedMotion } from "./dom.js";

/** Slow enough not to flash: fewer than three times a second. */
const MILLISECONDS = 700;

export class Blinker {
  /** @type {"before" | "after"} */
  side = "after";
  isPaused = prefersReducedMotion();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** @param {boolean} isShown Whether the blink mode is visible now. */
  update(isShown) {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (isShown && !this.isPaused) {
      this.#timer = setInterval(() => this.#swap(), MILLISECONDS);
    }
  }

  /** Show the other side, and stay there. */
  swapByHand() {
    this.isPaused = true;
    this.update(false);
    this.#swap();
  }

  togglePause() {
    this.isPaused = !this.isPaused;
    this.update(true);
    this.onChange();
  }

  #swap() {
    this.side = this.side === "before" ? "after" : "before";
    this.onChange();
  }
}

// The canvas's colors, read from the tokens of the style sheet.

/** @import { Palette } from "./painter.js" */

import { make } from "./dom.js";

export class PaletteProbe {
  element = make("i", { class: "palette", "aria-hidden": "true" });
  #observer = new MutationObserver(() => this.forget());
  #queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) =>
    matchMedia(query),
  );
  #listener = () => this.forget();
  /** @type {Palette | null} */
  #palette = null;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** Follow the themes of the system and of the page. */
  connect() {
    this.#queries.forEach((query) => query.addEventListener("change", this.#listener));
    this.#observer.observe(document.documentElement, { attributes: true });
    this.#palette = null;
  }

  disconnect() {
    this.#queries.forEach((query) => query.removeEventListener("change", this.#listener));
    this.#observer.disconnect();
  }

  forget() {
    this.#palette = null;
    this.onChange();
  }

  /** @returns {Palette} */
  read() {
    if (!this.#palette) {
      const style = getComputedStyle(this.element);
      this.#palette = {
        sheet: style.color,
        checker: style.backgroundColor,
        otherChecker: style.borderTopColor,
        grid: style.outlineColor,
      };
    }
    return this.#palette;
  }
}

// The message in place of an empty list: why the list is empty, and what helps.

import { createButton, createElement } from "./dom.js";

/** @typedef {"loading" | "filtered" | "processing" | "failed" | "equal"} EmptyReason */

/** @type {Readonly<Record<EmptyReason, [string, string]>>} */
const TEXTS = {
  loading: ["Loading…", ""],
  filtered: ["No match", "No screenshot matches the search and all filters."],
  processing: ["Comparison in progress", "Screenshots appear here as soon as they are compared."],
  failed: ["No screenshots", "This build ended before its screenshots were compared."],
  equal: ["Nothing to review", "All screenshots match the baseline."],
};

export class EmptyMessage {
  element = createElement("div", "empty navigator__empty");
  #title = createElement("p", "navigator__empty-title");
  #text = createElement("p");
  #reset;
  /** @type {EmptyReason | null} */
  #reason = null;

  /** @param {() => void} reset */
  constructor(reset) {
    this.#reset = createButton("Reset filters", "button", reset);
    this.element.append(this.#title, this.#text, this.#reset);
  }

  /** @param {EmptyReason | null} reason Nothing while the list has lines. */
  show(reason) {
    this.element.hidden = reason === null;
    if (reason && reason !== this.#reason) {
      const [title, text] = TEXTS[reason];
      this.#title.textContent = title;
      this.#text.textContent = text;
      this.#reset.hidden = reason !== "filtered";
    }
    this.#reason = reason;
  }
}

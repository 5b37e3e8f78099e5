// Selecting screenshots for one decision.

import { isDecidable, rangeBetween } from "./order.js";

/** @import { ReviewStore } from "./store.js" */

export class Selection {
  #store;
  /** @type {string | null} Where a range begins. */
  #anchor = null;

  /** @param {ReviewStore} store */
  constructor(store) {
    this.#store = store;
  }

  toggleCurrent() {
    const { current, selection } = this.#store;
    if (current === null || !isDecidable(this.#store.screenshot(current))) {
      return;
    }
    const chosen = new Set(selection);
    if (!chosen.delete(current)) {
      chosen.add(current);
      this.#anchor = current;
    }
    this.#store.setSelection(chosen);
  }

  extendToCurrent() {
    const { current, selection } = this.#store;
    if (current !== null) {
      const range = rangeBetween(this.#store.visibleIds(), this.#anchor, current);
      this.#select([...selection, ...range]);
      this.#anchor = current;
    }
  }

  selectVisible() {
    this.#select(this.#store.visibleIds());
  }

  /** Return whether anything was selected. */
  clear() {
    const hadAny = this.#store.selection.size > 0;
    if (hadAny) {
      this.#store.setSelection([]);
    }
    this.#anchor = null;
    return hadAny;
  }

  /** @param {readonly string[]} ids */
  #select(ids) {
    this.#store.setSelection(ids.filter((id) => isDecidable(this.#store.screenshot(id))));
  }
}

// Screenshots as the page shows them: the server's rows, below decisions on their way.

/** @import { Decision, Screenshot } from "./types.js" */
/** @import { ReviewStore } from "./store.js" */

export class DisplayedRows {
  #store;
  /** @type {ReadonlyMap<string, Decision>} */
  #pending = new Map();
  /** @type {Map<string, Screenshot>} The server's rows of screenshots with a decision on its way. */
  #confirmed = new Map();

  /** @param {ReviewStore} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * Return the server's row of a screenshot.
   * @param {string} id
   */
  confirmed(id) {
    return this.#confirmed.get(id) ?? this.#store.screenshot(id);
  }

  /**
   * Take over the server's rows.
   * @param {readonly Screenshot[]} screenshots
   */
  receive(screenshots) {
    const shown = screenshots.map((each) => {
      if (!this.#pending.has(each.id)) {
        return each;
      }
      this.#confirmed.set(each.id, each);
      return this.#cover(each);
    });
    this.#store.applyRows(shown);
  }

  /**
   * Show the given decisions on top; uncover all other rows.
   * @param {ReadonlyMap<string, Decision>} pending
   */
  showPending(pending) {
    const changed = new Set([...this.#confirmed.keys(), ...pending.keys()]);
    this.#pending = pending;
    const shown = [];
    for (const id of changed) {
      const screenshot = this.confirmed(id);
      if (screenshot && pending.has(id)) {
        this.#confirmed.set(id, screenshot);
        shown.push(this.#cover(screenshot));
      } else if (screenshot) {
        this.#confirmed.delete(id);
        shown.push(screenshot);
      }
    }
    const different = shown.filter((each) => each !== this.#store.screenshot(each.id));
    if (different.length > 0) {
      this.#store.applyRows(different);
    }
  }

  /** The index was read again: all its rows are confirmed. */
  reset() {
    this.#confirmed.clear();
    this.showPending(this.#pending);
  }

  /** @param {Screenshot} screenshot */
  #cover(screenshot) {
    const decision = this.#pending.get(screenshot.id) ?? screenshot.decision;
    const shown = this.#store.screenshot(screenshot.id);
    const decidedBy = decision ? (this.#store.snapshot?.me.name ?? "") : "";
    if (shown?.decision === decision && shown.decidedBy === decidedBy && shown !== screenshot) {
      return shown;
    }
    return { ...screenshot, decision, decidedBy, carriedOver: false };
  }
}

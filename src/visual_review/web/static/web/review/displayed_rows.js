// Screenshots as the page shows them: what the server says, under what is still on its way to it.

/** @import { Decision, Screenshot } from "./types.js" */
/** @import { ReviewStore } from "./store.js" */

export class DisplayedRows {
  #store;
  /** @type {ReadonlyMap<string, Decision>} */
  #pending = new Map();
  /** @type {Map<string, Screenshot>} What the server says of those with a decision on its way. */
  #confirmed = new Map();

  /** @param {ReviewStore} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * Return the screenshot as the server has it.
   * @param {string} id
   */
  confirmed(id) {
    return this.#confirmed.get(id) ?? this.#store.screenshot(id);
  }

  /**
   * Take over what the server says.
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
   * Show these decisions on top; uncover all others.
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

  /** The index was read again: what it says is confirmed. */
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

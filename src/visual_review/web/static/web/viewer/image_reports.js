// Which images of a screenshot have been reported as painted, or as failed.

/** @import { Side, ViewerInput } from "./types.js" */
/** @import { Entry } from "./image_store.js" */
/** @import { PanePlan } from "./pane_layout.js" */

/** @typedef {{id: string, side: Side, ok: boolean, error: string}} ImageReport */

export class ImageReports {
  /** @type {Set<string>} */
  #reported = new Set();

  /** Begin again, for another screenshot. */
  clear() {
    this.#reported.clear();
  }

  /**
   * Return the reports that are new since the last call.
   *
   * @param {ViewerInput} input
   * @param {readonly PanePlan[]} plans
   * @param {(side: Side) => Entry | undefined} entryOf
   * @returns {ImageReport[]}
   */
  collect(input, plans, entryOf) {
    /** @type {ImageReport[]} */
    const reports = [];
    for (const side of new Set(plans.flatMap((plan) => plan.sides))) {
      const entry = entryOf(side);
      const key = `${side} ${entry?.status} ${entry?.url}`;
      if (entry && entry.status !== "loading" && !this.#reported.has(key)) {
        this.#reported.add(key);
        reports.push({ id: input.id, side, ok: entry.status === "ready", error: entry.error });
      }
    }
    return reports;
  }
}

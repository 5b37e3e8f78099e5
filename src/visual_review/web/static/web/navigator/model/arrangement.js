// Where items stay while people decide. See docs/explanation/design/review-page.md.

/** @import { Decision, DiffState, Screenshot } from "../../review/types.js" */

/**
 * The decision that determines a screenshot's place in the list, with the state at the time of the
 * decision.
 *
 * @typedef {{decision: Decision, state: DiffState}} Place
 */

/** @typedef {ReadonlyMap<string, Place>} Arrangement */

/**
 * Arrange screenshots by the current decisions.
 *
 * @param {Iterable<Screenshot>} screenshots
 * @returns {Arrangement}
 */
export function arrange(screenshots) {
  return extendArrangement(new Map(), screenshots);
}

/**
 * Keep all places, and give a place to new screenshots and to screenshots compared since.
 *
 * @param {Arrangement} arrangement
 * @param {Iterable<Screenshot>} screenshots
 * @returns {Arrangement}
 */
export function extendArrangement(arrangement, screenshots) {
  const places = new Map(arrangement);
  for (const { id, decision, state } of screenshots) {
    if (places.get(id)?.state !== state) {
      places.set(id, { decision, state });
    }
  }
  return places;
}

/**
 * How many are decided and still in the place of an undecided one, or the reverse.
 *
 * @param {Arrangement} arrangement
 * @param {Iterable<Screenshot>} screenshots
 */
export function countMisplaced(arrangement, screenshots) {
  let count = 0;
  for (const { id, decision, state } of screenshots) {
    const place = arrangement.get(id);
    const isShown = state !== "unchanged" && state !== "failed";
    if (isShown && place && (place.decision === "") !== (decision === "")) {
      count += 1;
    }
  }
  return count;
}

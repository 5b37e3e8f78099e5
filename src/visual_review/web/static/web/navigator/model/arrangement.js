// Where items stay while people decide. See docs/explanation/design/review-page.md.

/** @import { Decision, DiffState, Screenshot } from "../../review/types.js" */

/**
 * The decision by which a screenshot has its place in the list, with its state at that time.
 *
 * @typedef {{decision: Decision, state: DiffState}} Place
 */

/** @typedef {ReadonlyMap<string, Place>} Arrangement */

/**
 * Arrange screenshots by what is decided now.
 *
 * @param {Iterable<Screenshot>} screenshots
 * @returns {Arrangement}
 */
export function arrange(screenshots) {
  return extendArrangement(new Map(), screenshots);
}

/**
 * Keep all places, and give one to what is new or was compared since.
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

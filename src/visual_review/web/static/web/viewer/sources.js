// The images needed in memory: no more than the view needs.

/** @import { ImageSource, Mode, Side, ViewerInput } from "./types.js" */
/** @import { PanePlan } from "./pane_layout.js" */

/**
 * Return the visible sides; the magnifier reads both sides in any case, and the blink mode shows
 * the other one in a moment.
 *
 * @param {ViewerInput} input
 * @param {PanePlan[]} plans
 * @param {{mode: Mode, magnifier: boolean}} state
 * @returns {Side[]}
 */
export function sidesToLoad(input, plans, state) {
  /** @type {Set<Side>} */
  const sides = new Set(plans.flatMap((plan) => plan.sides));
  if (state.magnifier || (state.mode === "blink" && sides.size > 0)) {
    sides.add("after").add("before");
  }
  return [...sides].filter((side) => input[side] !== null);
}

/** @param {Mode} mode @returns {Side[]} */
export function sidesToPrefetch(mode) {
  return mode === "difference" ? ["diff", "after", "before"] : ["after", "before"];
}

/**
 * @param {ViewerInput} input
 * @param {Side[]} sides
 * @returns {ImageSource[]}
 */
export function sourcesOf(input, sides) {
  return sides.flatMap((side) => input[side] ?? []);
}

// The values of the list's fields, in their visible order, and their names.

/** @import { Decision, Device, DiffState, Theme } from "../../review/types.js" */

// The index sends positions in these lists instead of names.

/** @type {readonly DiffState[]} */
export const STATES = ["changed", "new", "removed", "failed", "pending", "unchanged"];
/** @type {readonly Decision[]} */
export const DECISIONS = ["", "approved", "rejected"];
/** @type {readonly Theme[]} */
export const THEMES = ["light", "dark"];
/** @type {readonly Device[]} */
export const DEVICES = ["phone", "tablet", "desktop"];

/** @type {Readonly<Record<DiffState, string>>} */
export const STATE_NAMES = {
  changed: "Changed",
  new: "New",
  removed: "Removed",
  failed: "Failed",
  pending: "Being compared",
  unchanged: "Unchanged",
};

/** @type {Readonly<Record<DecisionName, string>>} */
export const DECISION_NAMES = {
  undecided: "Undecided",
  approved: "Approved",
  rejected: "Rejected",
};

/** @typedef {"undecided" | "approved" | "rejected"} DecisionName */

/**
 * @param {Decision} decision
 * @returns {DecisionName}
 */
export function nameDecision(decision) {
  return decision || "undecided";
}

/** @param {string} text */
export function capitalize(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

// A smaller share is still a difference, and is shown as less than this percentage.
const LEAST_PERCENT = 0.01;

/** @param {number} ratio */
export function formatShare(ratio) {
  const percent = ratio * 100;
  if (percent <= 0) {
    return "";
  }
  if (percent < LEAST_PERCENT) {
    return `< ${LEAST_PERCENT} %`;
  }
  const digits = percent < 1 ? 2 : percent < 10 ? 1 : 0;
  return `${percent.toFixed(digits)} %`;
}

/** @param {number} count */
export function formatCount(count) {
  return count.toLocaleString("en-US");
}

/**
 * @param {number} count
 * @param {string} noun In the singular.
 */
export function countOf(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

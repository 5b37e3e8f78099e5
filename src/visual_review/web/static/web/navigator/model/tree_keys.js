// What a key does in the tree. Letters belong to the page.

/** @import { Line } from "./lines.js" */

import { findStep } from "./steps.js";

/**
 * Move the focus, fold or unfold a line, show a screenshot, or act on the focused line.
 *
 * @typedef {{type: "focus", index: number} | {type: "fold", isFolded: boolean}
 *   | {type: "show", id: string} | {type: "choose"} | {type: "select"}} TreeAction
 */

/**
 * @typedef {object} TreeFocus
 * @property {readonly Line[]} lines
 * @property {number} index The focused line.
 * @property {number} pageSize
 * @property {string | null} current
 * @property {boolean} isRightToLeft
 */

/** @type {Readonly<Record<string, (focus: TreeFocus) => number>>} */
const MOVES = {
  ArrowDown: ({ index }) => index + 1,
  ArrowUp: ({ index }) => index - 1,
  PageDown: ({ index, pageSize }) => index + pageSize,
  PageUp: ({ index, pageSize }) => index - pageSize,
  Home: () => 0,
  End: ({ lines }) => lines.length - 1,
};

/**
 * @param {string} key
 * @param {TreeFocus} focus
 * @returns {TreeAction | null} Nothing for keys without an effect in the tree.
 */
export function planKey(key, focus) {
  const move = MOVES[key];
  if (move) {
    const last = focus.lines.length - 1;
    return { type: "focus", index: Math.min(Math.max(0, move(focus)), last) };
  }
  if (key === "Enter") {
    return { type: "choose" };
  }
  if (key === " ") {
    return { type: "select" };
  }
  if (key === "ArrowRight" || key === "ArrowLeft") {
    return planSideways((key === "ArrowRight") !== focus.isRightToLeft, focus);
  }
  return null;
}

/**
 * Go into a line or through its variants, and out again.
 *
 * @param {boolean} isInwards
 * @param {TreeFocus} focus
 * @returns {TreeAction}
 */
function planSideways(isInwards, focus) {
  const { lines, index, current } = focus;
  const line = lines[index];
  if (!line) {
    return { type: "focus", index };
  }
  if (line.isFolded !== null && line.isFolded === isInwards) {
    return { type: "fold", isFolded: !isInwards };
  }
  if (line.type === "story") {
    const id = findStep(line.ids, current, isInwards ? 1 : -1);
    if (id !== null && id !== current) {
      return { type: "show", id };
    }
  }
  if (isInwards) {
    const isParent = (lines[index + 1]?.level ?? 0) > line.level;
    return { type: "focus", index: isParent ? index + 1 : index };
  }
  return { type: "focus", index: findParent(lines, index) };
}

/**
 * @param {readonly Line[]} lines
 * @param {number} index
 */
function findParent(lines, index) {
  const level = lines[index]?.level ?? 1;
  const above = lines.slice(0, index).findLastIndex((line) => line.level < level);
  return above === -1 ? index : above;
}

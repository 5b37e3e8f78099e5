// The outlines above an image, in pixels of the screen from the image's first pixel.

/** @import { Box, Change, Point } from "./types.js" */

import { earlierBox } from "./change_list.js";

/**
 * `index` is the change's; "region" marks have none.
 *
 * @typedef {object} Mark
 * @property {"change" | "faint" | "moved-to" | "moved-from" | "region"} type
 * @property {Box} box
 * @property {number} index
 */

/** @typedef {{from: Point, to: Point, index: number}} Arrow */

/** Between a change and its outline, which must hide nothing of the change. */
const DISTANCE = 3;
const SHORTEST_ARROW = 12;

/**
 * Return the outlines on one side: moved content has its old or new place there.
 *
 * @param {readonly Change[]} changes
 * @param {readonly Box[]} regions
 * @param {"before" | "after" | "both"} side
 * @param {number} zoom
 * @returns {Mark[]}
 */
export function planMarks(changes, regions, side, zoom) {
  /** @type {Mark[]} */
  const marks = regions.map((box) => ({ type: "region", box: scale(box, zoom, 0), index: -1 }));
  changes.forEach((change, index) => {
    if (change.movedBy && side !== "after") {
      marks.push({ type: "moved-from", box: scale(earlierBox(change), zoom, DISTANCE), index });
    }
    if (!change.movedBy || side !== "before") {
      marks.push({ type: typeOf(change), box: scale(change, zoom, DISTANCE), index });
    }
  });
  return marks;
}

/**
 * Return arrows from the old to the new place of content, where there is room for one.
 *
 * @param {readonly Change[]} changes
 * @param {"before" | "after" | "both"} side
 * @param {number} zoom
 * @returns {Arrow[]}
 */
export function planArrows(changes, side, zoom) {
  if (side === "before") {
    return [];
  }
  return changes.flatMap((change, index) => {
    if (!change.movedBy) {
      return [];
    }
    const to = middle(scale(change, zoom, 0));
    const from = middle(scale(earlierBox(change), zoom, 0));
    const isLong = Math.hypot(to.x - from.x, to.y - from.y) >= SHORTEST_ARROW;
    return isLong ? [{ from, to, index }] : [];
  });
}

/**
 * Return the innermost change at a point of the image, or -1.
 *
 * @param {readonly Change[]} changes
 * @param {Point} point
 * @param {number} reach How far next to a change also counts, in pixels of the image.
 */
export function changeAt(changes, point, reach) {
  let found = -1;
  let smallest = Infinity;
  changes.forEach((change, index) => {
    const isInside =
      point.x >= change.x - reach &&
      point.y >= change.y - reach &&
      point.x < change.x + change.width + reach &&
      point.y < change.y + change.height + reach;
    const area = change.width * change.height;
    if (isInside && area < smallest) {
      [found, smallest] = [index, area];
    }
  });
  return found;
}

/** @param {Change} change @returns {Mark["type"]} */
function typeOf(change) {
  if (change.movedBy) {
    return "moved-to";
  }
  return change.kind === "faint" || change.kind === "noise" ? "faint" : "change";
}

/**
 * @param {Box} box
 * @param {number} zoom
 * @param {number} distance
 * @returns {Box}
 */
function scale(box, zoom, distance) {
  return {
    x: box.x * zoom - distance,
    y: box.y * zoom - distance,
    width: box.width * zoom + 2 * distance,
    height: box.height * zoom + 2 * distance,
  };
}

/** @param {Box} box @returns {Point} */
function middle(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

// The changes of a screenshot in the order in which they are visited, and their descriptions.

/** @import { Box, Change, Point, Size, ViewerInput } from "./types.js" */

/**
 * Return the changes, the worst first; boxes stand in where there is no description.
 *
 * @param {ViewerInput} input
 * @returns {Change[]}
 */
export function changesOf(input) {
  if (input.changes.length > 0) {
    return input.changes;
  }
  return input.boxes.map((box) => ({ ...box, kind: "pixels", pixels: 0, description: "" }));
}

/**
 * Return the size of both sides laid on top of each other.
 *
 * @param {Pick<ViewerInput, "before" | "after" | "diff">} input
 * @returns {Size}
 */
export function contentSize(input) {
  const sides = [input.before, input.after].filter((side) => side !== null);
  const sizes = sides.length > 0 ? sides : [input.diff ?? { width: 1, height: 1 }];
  return {
    width: Math.max(1, ...sizes.map((size) => size.width)),
    height: Math.max(1, ...sizes.map((size) => size.height)),
  };
}

/**
 * Return where the content of a change was before.
 *
 * @param {Change} change
 * @returns {Box}
 */
export function earlierBox(change) {
  const by = change.movedBy ?? { x: 0, y: 0 };
  return { x: change.x - by.x, y: change.y - by.y, width: change.width, height: change.height };
}

/**
 * Return the box to look at: of moved content both places, if near enough.
 *
 * @param {Change} change
 * @param {Size} room
 * @returns {Box}
 */
export function boxToShow(change, room) {
  if (!change.movedBy) {
    return change;
  }
  const both = unionOf(change, earlierBox(change));
  return both.width <= room.width && both.height <= room.height ? both : change;
}

/**
 * @param {Box} one
 * @param {Box} other
 * @returns {Box}
 */
export function unionOf(one, other) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

/**
 * Say how far content moved, such as "24 px down, 3 px left".
 *
 * @param {Point} by
 */
export function describeOffset(by) {
  const parts = [];
  if (by.y !== 0) {
    parts.push(`${Math.abs(by.y)} px ${by.y > 0 ? "down" : "up"}`);
  }
  if (by.x !== 0) {
    parts.push(`${Math.abs(by.x)} px ${by.x > 0 ? "right" : "left"}`);
  }
  return parts.join(", ");
}

/**
 * Describe a change and its place.
 *
 * @param {Change} change
 */
export function describeChange(change) {
  const offset = change.movedBy ? describeOffset(change.movedBy) : "";
  const parts = [change.description];
  if (offset && !change.description.includes("px")) {
    parts.push(change.description ? offset : `moved ${offset}`);
  }
  if (change.contrast && !change.description.includes("contrast")) {
    const [before, after] = [change.contrast.before.toFixed(1), change.contrast.after.toFixed(1)];
    parts.push(before === after ? "" : `contrast ${before} to ${after}`);
  }
  parts.push(`${change.width} × ${change.height} px at ${change.x}, ${change.y}`);
  return parts.filter((part) => part !== "").join(" · ");
}

/**
 * Return the index of the change to go to; after the last comes the first.
 *
 * @param {number} index
 * @param {number} count
 * @param {1 | -1} direction
 */
export function stepIndex(index, count, direction) {
  if (count === 0) {
    return -1;
  }
  return index < 0 ? (direction > 0 ? 0 : count - 1) : (index + direction + count) % count;
}

const WITHOUT_CHANGES = new Map([
  ["new", "All of it is new."],
  ["removed", "All of it is removed."],
  ["unchanged", "Nothing changed."],
  ["failed", "The screenshot failed."],
  ["pending", "It has not been compared yet."],
]);

/**
 * Describe a screenshot without changed areas.
 *
 * @param {ViewerInput} input
 */
export function describeState(input) {
  return WITHOUT_CHANGES.get(input.state) ?? "No changed area is known.";
}

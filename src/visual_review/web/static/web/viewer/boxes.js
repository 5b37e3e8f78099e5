// What two boxes have in common.

/** @import { Box } from "./types.js" */

/**
 * Return the part of a box within another, or null.
 *
 * @param {Box} one
 * @param {Box} other
 * @returns {Box | null}
 */
export function intersectionOf(one, other) {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}

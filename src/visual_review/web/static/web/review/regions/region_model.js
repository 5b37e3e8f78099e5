// Rectangles in fractions of an image: moved, resized and clipped; pure.

/** @import { Box, Change } from "../types.js" */
/** @import { Size } from "../../viewer/types.js" */

import { clamp } from "../../viewer/camera.js";
import { areaOf, subtract } from "../../viewer/parts_in_view.js";

/** As many as the server takes for a story variant. */
export const MOST_REGIONS = 200;
/** A smaller rectangle is a slip of the pointer, in pixels of the image. */
const LEAST_PIXELS = 4;

/**
 * Return the rectangle between two points, inside of the image.
 *
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @returns {Box}
 */
export function between(from, to) {
  const [x1, x2] = [clamp(from.x, 0, 1), clamp(to.x, 0, 1)];
  const [y1, y2] = [clamp(from.y, 0, 1), clamp(to.y, 0, 1)];
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

/**
 * @param {Box} region
 * @param {number} dx
 * @param {number} dy
 * @returns {Box}
 */
export function move(region, dx, dy) {
  const { x, y, width, height } = region;
  return { ...region, x: clamp(x + dx, 0, 1 - width), y: clamp(y + dy, 0, 1 - height) };
}

/**
 * Move the right lower corner; the left upper one stays.
 *
 * @param {Box} region
 * @param {number} dx
 * @param {number} dy
 * @param {Size} image
 * @returns {Box}
 */
export function resize(region, dx, dy, image) {
  const { x, y, width, height } = region;
  return {
    ...region,
    width: clamp(width + dx, LEAST_PIXELS / image.width, 1 - x),
    height: clamp(height + dy, LEAST_PIXELS / image.height, 1 - y),
  };
}

/**
 * @param {Box} region
 * @param {Size} image
 */
export function isSlip(region, image) {
  return region.width * image.width < LEAST_PIXELS || region.height * image.height < LEAST_PIXELS;
}

/**
 * Say how many changes would not be compared any more.
 *
 * @param {readonly Change[]} changes In pixels.
 * @param {readonly Box[]} regions In fractions.
 * @param {Size} image
 */
export function describeEffect(changes, regions, image) {
  const boxes = regions.map(({ x, y, width, height }) => ({
    x: x * image.width - 1,
    y: y * image.height - 1,
    width: width * image.width + 2,
    height: height * image.height + 2,
  }));
  /** @type {(rest: Box[], by: Box) => Box[]} */
  const without = (rest, by) => rest.flatMap((box) => subtract(box, by));
  const inside = changes.filter((change) => areaOf(boxes.reduce(without, [/** @type {Box} */ (change)])) === 0);
  return `${inside.length} of ${changes.length} ${changes.length === 1 ? "change lies" : "changes lie"} inside`;
}

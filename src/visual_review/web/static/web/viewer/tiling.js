// How large images are divided, so that what is drawn at once stays small; and which parts to draw.

/** @import { Box, Size } from "./types.js" */

/** Larger than this on a side, an image is no texture of common graphics processors. */
export const LARGEST_WHOLE = 4096;
export const TILE = 2048;
const SMALLEST_LEVEL = 5;

/**
 * Return the tiles of an image of this size: the whole of it where it is small.
 *
 * @param {Size} size
 * @returns {Box[]}
 */
export function tilesOf(size) {
  if (size.width <= LARGEST_WHOLE && size.height <= LARGEST_WHOLE) {
    return [{ x: 0, y: 0, ...size }];
  }
  const tiles = [];
  for (let y = 0; y < size.height; y += TILE) {
    for (let x = 0; x < size.width; x += TILE) {
      const width = Math.min(TILE, size.width - x);
      tiles.push({ x, y, width, height: Math.min(TILE, size.height - y) });
    }
  }
  return tiles;
}

/**
 * Return how often an image has to be halved before it is drawn at this scale without flicker.
 *
 * @param {number} scale Pixels of the screen per pixel of the image.
 */
export function levelFor(scale) {
  return scale >= 0.5 ? 0 : Math.min(SMALLEST_LEVEL, Math.floor(Math.log2(1 / scale) + 1e-9));
}

/**
 * @param {Size} size
 * @param {number} level
 * @returns {Size}
 */
export function sizeAtLevel(size, level) {
  return {
    width: Math.max(1, Math.round(size.width / 2 ** level)),
    height: Math.max(1, Math.round(size.height / 2 ** level)),
  };
}

/**
 * @param {Box} one
 * @param {Box} other
 */
export function meet(one, other) {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/**
 * Return the part of a box within another, or null.
 *
 * @param {Box} one
 * @param {Box} other
 * @returns {Box | null}
 */
export function intersectionOf(one, other) {
  if (!meet(one, other)) {
    return null;
  }
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  return {
    x,
    y,
    width: Math.min(one.x + one.width, other.x + other.width) - x,
    height: Math.min(one.y + one.height, other.y + other.height) - y,
  };
}

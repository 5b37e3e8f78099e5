// Smaller copies of an image for small scales, and where an image is drawn.

/** @import { Box, Point, Size } from "./types.js" */

const SMALLEST_LEVEL = 5;

/**
 * Return how often an image has to be halved for drawing at this scale without flicker.
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
 * Return the place of an image; the edges are on pixels of the screen.
 *
 * @param {Size} size
 * @param {Point} origin
 * @param {number} scale
 * @returns {Box}
 */
export function placeImage(size, origin, scale) {
  const [left, top] = [Math.round(origin.x), Math.round(origin.y)];
  const right = Math.round(origin.x + size.width * scale);
  const bottom = Math.round(origin.y + size.height * scale);
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/**
 * Return the part of a bitmap to draw into the visible part of its place, and the target: whole
 * pixels with their neighbors, so that smoothing sees the same pixels in any view.
 *
 * @param {Size} bitmap
 * @param {Box} place
 * @param {Box} part Of the place, in pixels of the screen.
 * @returns {{from: Box, to: Box}}
 */
export function cropTo(bitmap, place, part) {
  const [across, down] = [bitmap.width / place.width, bitmap.height / place.height];
  const left = Math.max(0, Math.floor((part.x - place.x) * across) - 1);
  const top = Math.max(0, Math.floor((part.y - place.y) * down) - 1);
  const right = Math.min(bitmap.width, Math.ceil((part.x + part.width - place.x) * across) + 1);
  const bottom = Math.min(bitmap.height, Math.ceil((part.y + part.height - place.y) * down) + 1);
  const from = { x: left, y: top, width: right - left, height: bottom - top };
  return {
    from,
    to: {
      x: place.x + left / across,
      y: place.y + top / down,
      width: from.width / across,
      height: from.height / down,
    },
  };
}

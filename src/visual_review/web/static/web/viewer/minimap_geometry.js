// The small map of a tall image: its size, the visible part of the image, and the places of
// changes.

/** @import { Box, Camera, Change, Point, Size } from "./types.js" */

import { clamp, visibleBox, zoomToWidth } from "./camera.js";

export const WIDEST = 88;
/** Wide enough for a finger or a pointer. */
export const NARROWEST = 24;
const SHARE = 0.08;
const TALL = 1.5;
const SMALLEST_MARK = 3;

/**
 * Whether an image is so tall that a map helps; independent of the zoom, so that no zoom
 * changes the layout.
 *
 * @param {Size} view
 * @param {Size} content
 */
export function needsMinimap(view, content) {
  return content.height * zoomToWidth(view, content) > view.height * TALL;
}

/**
 * Return pixels of the map per pixel of the image.
 *
 * @param {Size} content
 * @param {Size} map
 * @returns {Point}
 */
export function scaleOfMap(content, map) {
  return { x: map.width / content.width, y: map.height / content.height };
}

/**
 * Return the width of the map, compressed on narrow screens.
 *
 * @param {Size} content
 * @param {number} height
 * @param {number} room The width of the stage.
 */
export function widthOfMap(content, height, room) {
  const widest = clamp(room * SHARE, NARROWEST, WIDEST);
  return Math.round(clamp((content.width * height) / content.height, NARROWEST, widest));
}

/**
 * @param {Camera} camera
 * @param {Size} view
 * @param {Size} content
 * @param {Size} map
 * @returns {Box}
 */
export function visibleOnMap(camera, view, content, map) {
  const scale = scaleOfMap(content, map);
  const box = visibleBox(camera, view);
  const [left, top] = [clamp(box.x, 0, content.width), clamp(box.y, 0, content.height)];
  const [right, bottom] = [
    clamp(box.x + box.width, 0, content.width),
    clamp(box.y + box.height, 0, content.height),
  ];
  const height = Math.max((bottom - top) * scale.y, SMALLEST_MARK);
  return { x: left * scale.x, y: top * scale.y, width: (right - left) * scale.x, height };
}

/**
 * @param {readonly Change[]} changes
 * @param {Size} content
 * @param {Size} map
 * @returns {Box[]}
 */
export function marksOnMap(changes, content, map) {
  const scale = scaleOfMap(content, map);
  return changes.map((change) => ({
    x: change.x * scale.x,
    y: change.y * scale.y,
    width: Math.max(change.width * scale.x, SMALLEST_MARK),
    height: Math.max(change.height * scale.y, SMALLEST_MARK),
  }));
}

/**
 * Return the point of the image under a point of the map.
 *
 * @param {Point} point
 * @param {Size} content
 * @param {Size} map
 * @returns {Point}
 */
export function imagePointOf(point, content, map) {
  const scale = scaleOfMap(content, map);
  return {
    x: clamp(point.x / scale.x, 0, content.width),
    y: clamp(point.y / scale.y, 0, content.height),
  };
}

/**
 * Name the visible rows.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {Size} content
 */
export function describeRows(camera, view, content) {
  const box = visibleBox(camera, view);
  const first = Math.round(clamp(box.y, 0, content.height));
  const last = Math.round(clamp(box.y + box.height, 0, content.height));
  return `Rows ${first} to ${last} of ${content.height}`;
}

// The mathematics of zoom and pan. One camera serves both sides, so they always show the same place.

/** @import { Box, Camera, Point, Size } from "./types.js" */

export const MAX_ZOOM = 32;
/** From here on, pixels have sharp edges; below, their average is easier to read. */
export const CRISP_ZOOM = 2;
/** From here on, lines separate the pixels. */
export const GRID_ZOOM = 4;
/** Room around the image, in pixels of the screen, for the outline of a change at the image's edge. */
export const MARGIN = 8;
const STEPS = [0.05, 0.1, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, MAX_ZOOM];

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/**
 * Return the zoom at which the whole width is visible, without enlarging the image.
 *
 * @param {Size} view
 * @param {Size} content
 */
export function zoomToWidth(view, content) {
  return Math.min(1, Math.max(view.width - 2 * MARGIN, 1) / Math.max(content.width, 1));
}

/**
 * @param {Size} view
 * @param {Size} content
 */
export function zoomToAll(view, content) {
  const height = Math.max(view.height - 2 * MARGIN, 1) / Math.max(content.height, 1);
  return Math.min(zoomToWidth(view, content), height);
}

/**
 * Return the nearest camera with as little emptiness as possible.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {Size} content
 * @returns {Camera}
 */
export function clampCamera(camera, view, content) {
  const zoom = clamp(camera.zoom, zoomToAll(view, content), MAX_ZOOM);
  return {
    zoom,
    x: clampCenter(camera.x, view.width / zoom, content.width, MARGIN / zoom),
    y: clampCenter(camera.y, view.height / zoom, content.height, MARGIN / zoom),
  };
}

/**
 * @param {number} center
 * @param {number} visible
 * @param {number} length
 * @param {number} margin
 */
function clampCenter(center, visible, length, margin) {
  const room = visible / 2 - margin;
  return length <= 2 * room ? length / 2 : clamp(center, room, length - room);
}

/**
 * Zoom so that the content under a point of the view stays there.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {Point} point
 * @param {number} zoom
 * @returns {Camera}
 */
export function zoomAt(camera, view, point, zoom) {
  const next = clamp(zoom, 0.001, MAX_ZOOM);
  const fixed = toImage(camera, view, point);
  return {
    zoom: next,
    x: fixed.x - (point.x - view.width / 2) / next,
    y: fixed.y - (point.y - view.height / 2) / next,
  };
}

/**
 * @param {Camera} camera
 * @param {number} dx How far the content moves, in pixels of the screen.
 * @param {number} dy
 * @returns {Camera}
 */
export function panBy(camera, dx, dy) {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/**
 * Return the next of the usual zooms.
 *
 * @param {number} zoom
 * @param {1 | -1} direction
 */
export function stepZoom(zoom, direction) {
  // A zoom that is nearly a step becomes the step.
  const found =
    direction > 0
      ? STEPS.find((step) => step > zoom * 1.01)
      : STEPS.findLast((step) => step < zoom / 1.01);
  return found ?? zoom;
}

/**
 * @param {Camera} camera
 * @param {Size} view
 * @param {Point} point
 * @returns {Point}
 */
export function toImage(camera, view, point) {
  return {
    x: camera.x + (point.x - view.width / 2) / camera.zoom,
    y: camera.y + (point.y - view.height / 2) / camera.zoom,
  };
}

/**
 * Return the place of the image's first pixel in the view, on a pixel of the screen, so that
 * images at 100 % are not blurred.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {number} ratio Pixels of the screen per pixel of CSS.
 * @returns {Point}
 */
export function originInView(camera, view, ratio) {
  return {
    x: Math.round((view.width / 2 - camera.x * camera.zoom) * ratio) / ratio,
    y: Math.round((view.height / 2 - camera.y * camera.zoom) * ratio) / ratio,
  };
}

/**
 * @param {Camera} camera
 * @param {Size} view
 * @returns {Box}
 */
export function visibleBox(camera, view) {
  const [width, height] = [view.width / camera.zoom, view.height / camera.zoom];
  return { x: camera.x - width / 2, y: camera.y - height / 2, width, height };
}

/**
 * Return the sides at which there is nothing more to show.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {Size} content
 */
export function edgesOf(camera, view, content) {
  const box = visibleBox(camera, view);
  // Less than a pixel of the screen is nothing.
  const little = 1 / camera.zoom;
  return { left: box.x <= little, right: box.x + box.width >= content.width - little };
}

/**
 * Return the camera between two others; zoom changes by factors, as the eye expects.
 *
 * @param {Camera} from
 * @param {Camera} to
 * @param {number} part 0 to 1.
 * @returns {Camera}
 */
export function between(from, to, part) {
  if (part >= 1) {
    return to;
  }
  const eased = 1 - (1 - part) ** 3;
  return {
    zoom: from.zoom * (to.zoom / from.zoom) ** eased,
    x: from.x + (to.x - from.x) * eased,
    y: from.y + (to.y - from.y) * eased,
  };
}

/**
 * Return the zoom at which a box fills the view, with so many pixels of the image around it.
 *
 * @param {Size} view
 * @param {Box} box
 * @param {number} around
 */
export function zoomForBox(view, box, around) {
  const width = (view.width - 2 * MARGIN) / (box.width + 2 * around);
  const height = (view.height - 2 * MARGIN) / (box.height + 2 * around);
  return Math.max(Math.min(width, height), 0.001);
}

/** @param {Box} box */
export function centerOf(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** @param {number} zoom */
export function formatZoom(zoom) {
  const percent = zoom * 100;
  return `${percent < 10 ? percent.toFixed(1).replace(/\.0$/, "") : Math.round(percent)} %`;
}

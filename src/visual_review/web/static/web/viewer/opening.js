// The place where the viewer opens, and its place for a change: legible, with the surroundings.

/** @import { Box, Camera, Change, Size } from "./types.js" */
/** @import { Rest } from "./parts_in_view.js" */

import { boxToShow } from "./change_list.js";
import { CRISP_ZOOM, MARGIN, centerOf, clamp, clampCamera, zoomForBox, zoomToAll, zoomToWidth } from "./camera.js";
import { SURROUNDINGS, nextView } from "./next_view.js";
import { LEGIBLE_TEXT } from "./parts_in_view.js";

/** A change of fewer pixels on the longer side is enlarged. */
const TINY = 32;
const LARGEST_FIT = 8;
const LARGEST_COMPONENT = 4;

/**
 * Return the opening place of a screenshot: all of its parts in view if legible, else most of
 * them, and the full width from the top without any parts. A screenshot legible as a whole is
 * shown as a whole.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {readonly Rest[]} parts The worst first.
 * @returns {Camera}
 */
export function openingCamera(view, content, parts) {
  const enlarged = zoomOfComponent(view, content);
  if (enlarged > 1) {
    return whole(view, content, enlarged);
  }
  if (parts.length === 0) {
    return cameraAtTop(view, content);
  }
  const all = zoomToAll(view, content);
  const isVisible = parts.every(({ part }) => Math.max(part.width, part.height) * all >= TINY);
  return all >= LEGIBLE_TEXT && isVisible ? whole(view, content, all) : cameraOfRests(view, content, parts);
}

/**
 * Return the camera for the remaining parts; a single tiny part is enlarged.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {readonly Rest[]} rests At least one.
 */
export function cameraOfRests(view, content, rests) {
  const areTiny = rests.every(({ part }) => Math.max(part.width, part.height) < TINY);
  return nextView(view, content, rests, areTiny ? CRISP_ZOOM : 1);
}

/**
 * @param {Size} view
 * @param {Size} content
 * @param {number} [y] The row in the middle; without a row, the top is shown.
 * @returns {Camera}
 */
export function cameraAtTop(view, content, y = 0) {
  const zoom = zoomToWidth(view, content);
  return clampCamera({ zoom, x: content.width / 2, y }, view, content);
}

/**
 * Return the camera for a change, with visible surroundings and legible text.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {Change} change
 * @returns {Camera}
 */
export function cameraOfChange(view, content, change) {
  const largest = Math.max(change.width, change.height) < TINY ? CRISP_ZOOM : 1;
  const smallest = Math.max(zoomToWidth(view, content), LEGIBLE_TEXT);
  const room = { width: view.width / smallest, height: view.height / smallest };
  const box = boxToShow(change, room);
  const zoom = clamp(zoomForBox(view, box, SURROUNDINGS), Math.min(smallest, largest), largest);
  return clampCamera({ zoom, ...centerOn(box, view, zoom) }, view, content);
}

/**
 * Return the camera in which a change fills the view.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {Change} change
 * @returns {Camera}
 */
export function cameraFilledBy(view, content, change) {
  const around = Math.max(8, Math.min(change.width, change.height) * 0.25);
  const fitting = Math.min(zoomForBox(view, change, around), LARGEST_FIT);
  // Whole factors keep pixels equally large.
  const zoom = fitting > 1 ? Math.floor(fitting) : fitting;
  return clampCamera({ zoom, ...centerOf(change) }, view, content);
}

/**
 * Move to a change; the zoom stays if the change is legible and fits.
 *
 * @param {Camera} camera
 * @param {Size} view
 * @param {Size} content
 * @param {Change} change
 * @returns {Camera}
 */
export function moveToChange(camera, view, content, change) {
  const fits =
    change.width * camera.zoom <= view.width && change.height * camera.zoom <= view.height;
  const enlarged = change.width * camera.zoom >= 6 || change.height * camera.zoom >= 6;
  if (!fits || !enlarged || camera.zoom < LEGIBLE_TEXT) {
    return cameraOfChange(view, content, change);
  }
  const room = { width: view.width / camera.zoom, height: view.height / camera.zoom };
  return clampCamera({ ...camera, ...centerOf(boxToShow(change, room)) }, view, content);
}

/**
 * Return the integer factor at which a component, much smaller than the view, is shown.
 *
 * @param {Size} view
 * @param {Size} content
 */
function zoomOfComponent(view, content) {
  const room = Math.min((view.width * 0.75) / content.width, (view.height * 0.6) / content.height);
  return clamp(Math.floor(room), 1, LARGEST_COMPONENT);
}

/**
 * @param {Size} view
 * @param {Size} content
 * @param {number} zoom
 * @returns {Camera}
 */
function whole(view, content, zoom) {
  return clampCamera({ zoom, x: content.width / 2, y: content.height / 2 }, view, content);
}

/**
 * Return the middle of a box, or of the beginning of a box larger than the view.
 *
 * @param {Box} box
 * @param {Size} view
 * @param {number} zoom
 */
function centerOn(box, view, zoom) {
  const around = (2 * MARGIN) / zoom;
  const [width, height] = [view.width / zoom, view.height / zoom];
  return {
    x: box.x + (box.width > width ? width / 2 - around : box.width / 2),
    y: box.y + (box.height > height ? height / 2 - around : box.height / 2),
  };
}

// The next place to look at: all remaining parts at once if legible, else a screenful of them.

/** @import { Box, Camera, Size } from "./types.js" */
/** @import { Rest } from "./parts_in_view.js" */

import { MARGIN, centerOf, clamp, clampCamera, zoomForBox } from "./camera.js";
import { unionOf } from "./change_list.js";
import { areaOf, subtract } from "./parts_in_view.js";

/** The number of boxes tried as the beginning of a screenful; the first ones are the worst. */
const MOST_TRIED = 40;
/** The surroundings of a change where there is room, in pixels of the image. */
export const SURROUNDINGS = 100;

/**
 * A screenful: its box of the image, and the shown amount of the remaining parts. Each part counts
 * by its shown share, and once more if shown as a whole.
 *
 * @typedef {{frame: Box, zoom: number, whole: readonly Rest[], seen: number}} Screenful
 */

/**
 * Return the camera that shows the most of what is left.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {readonly Rest[]} rests The worst first; at least one.
 * @param {number} largest The largest zoom.
 * @returns {Camera}
 */
export function nextView(view, content, rests, largest) {
  const zooms = [...new Set(rests.map(({ zoom }) => zoom))];
  const found = zooms.map((zoom) => findDensest(view, rests, zoom));
  const best = found.reduce((one, other) => (other.seen > one.seen ? other : one));
  const camera =
    cameraFor(view, content, rests, largest) ??
    (best.seen === 2 * best.whole.length ? cameraFor(view, content, best.whole, largest) : null);
  return camera ?? clampCamera({ zoom: best.zoom, ...centerOf(best.frame) }, view, content);
}

/**
 * Return the camera that shows all of these, or nothing where they would not be legible.
 *
 * @param {Size} view
 * @param {Size} content
 * @param {readonly Rest[]} rests
 * @param {number} largest
 */
function cameraFor(view, content, rests, largest) {
  const box = rests.flatMap(({ boxes }) => boxes).reduce(unionOf);
  const least = Math.max(...rests.map(({ zoom }) => zoom));
  if (zoomForBox(view, box, 0) < least) {
    return null;
  }
  const zoom = clamp(zoomForBox(view, box, SURROUNDINGS), least, Math.max(least, largest));
  return clampCamera({ zoom, ...centerOf(box) }, view, content);
}

/**
 * Return the screenful of this zoom with the most content.
 *
 * @param {Size} view
 * @param {readonly Rest[]} rests
 * @param {number} zoom
 * @returns {Screenful}
 */
function findDensest(view, rests, zoom) {
  const legible = rests.filter((rest) => rest.zoom <= zoom);
  const corners = legible.flatMap((rest) => rest.boxes).slice(0, MOST_TRIED);
  const around = MARGIN / zoom;
  const size = { width: view.width / zoom, height: view.height / zoom };
  /** @type {Screenful} */
  let best = { frame: { x: 0, y: 0, ...size }, zoom, whole: [], seen: 0 };
  for (const { x } of corners) {
    for (const { y } of corners) {
      const frame = { x: x - around, y: y - around, ...size };
      const shares = legible.map((rest) => shareIn(rest, frame));
      const whole = legible.filter((_, at) => shares[at] === 1);
      const seen = shares.reduce((sum, share) => sum + share, whole.length);
      if (seen > best.seen) {
        best = { frame, zoom, whole, seen };
      }
    }
  }
  return best;
}

/**
 * @param {Rest} rest
 * @param {Box} frame
 */
function shareIn({ boxes }, frame) {
  return 1 - areaOf(boxes.flatMap((box) => subtract(box, frame))) / areaOf(boxes);
}

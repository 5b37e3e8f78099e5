// The arithmetic of wheels and fingers.

/** @import { Point } from "./types.js" */

const PIXELS_OF_A_LINE = 16;
const PIXELS_OF_A_PAGE = 400;
const SHORTEST_SWIPE = 48;
const LONGEST_SWIPE_MILLISECONDS = 800;

/**
 * Return how far a wheel turned, in pixels, whatever the unit of the event.
 *
 * @param {{deltaX: number, deltaY: number, deltaMode: number, shiftKey: boolean}} event
 * @returns {Point}
 */
export function wheelDistance(event) {
  const unit = [1, PIXELS_OF_A_LINE, PIXELS_OF_A_PAGE][event.deltaMode] ?? 1;
  const [x, y] = [event.deltaX * unit, event.deltaY * unit];
  // Some systems turn the wheel sideways themselves while shift is held.
  return event.shiftKey && x === 0 ? { x: y, y: 0 } : { x, y };
}

/**
 * Return the factor of the zoom for a turn of the wheel; a pinch on a touchpad counts as a slight
 * turn.
 *
 * @param {number} distance
 */
export function zoomFactor(distance) {
  const bounded = Math.min(Math.max(distance, -120), 120);
  return Math.exp(-bounded * (Math.abs(distance) < 30 ? 0.01 : 0.003));
}

/**
 * Return what two fingers did: by which factor they moved apart, and how their middle moved.
 *
 * @param {readonly [Point, Point]} before
 * @param {readonly [Point, Point]} after
 */
export function pinch(before, after) {
  const [from, to] = [middleOf(before), middleOf(after)];
  const factor = distanceOf(after) / Math.max(distanceOf(before), 1);
  return { factor, center: to, dx: to.x - from.x, dy: to.y - from.y };
}

/**
 * Return the direction of a swipe: 1 is to the next one, -1 to the previous, 0 is no swipe.
 *
 * @param {{dx: number, dy: number, milliseconds: number}} movement
 * @returns {-1 | 0 | 1}
 */
export function swipeDirection(movement) {
  const { dx, dy, milliseconds } = movement;
  const isSwipe =
    milliseconds <= LONGEST_SWIPE_MILLISECONDS &&
    Math.abs(dx) >= SHORTEST_SWIPE &&
    Math.abs(dx) >= 2 * Math.abs(dy);
  return isSwipe ? (dx < 0 ? 1 : -1) : 0;
}

/** @param {readonly [Point, Point]} points @returns {Point} */
function middleOf([one, other]) {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** @param {readonly [Point, Point]} points */
function distanceOf([one, other]) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

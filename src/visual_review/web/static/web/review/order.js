// The neighbors of a screenshot in the list, and the decidable screenshots;
// navigator/model/steps.js has the next one.

/** @import { Screenshot } from "./types.js" */

/**
 * Whether a person can decide about the screenshot: failed ones have no image, pending ones no
 * result.
 * @param {Screenshot | undefined} screenshot
 */
export function isDecidable(screenshot) {
  return screenshot !== undefined && screenshot.state !== "failed" && screenshot.state !== "pending";
}

/**
 * Return the ids from one to the other, in either direction.
 * @param {readonly string[]} ids
 * @param {string | null} from
 * @param {string} to
 */
export function rangeBetween(ids, from, to) {
  const first = from === null ? -1 : ids.indexOf(from);
  const last = ids.indexOf(to);
  if (first < 0 || last < 0) {
    return [to];
  }
  return ids.slice(Math.min(first, last), Math.max(first, last) + 1);
}

/**
 * Return up to `count` ids after the current one and one before: the next to be seen.
 * @param {readonly string[]} ids
 * @param {string} current
 * @param {number} count
 */
export function idsAhead(ids, current, count) {
  const place = ids.indexOf(current);
  if (place < 0) {
    return [];
  }
  return [...ids.slice(place + 1, place + 1 + count), ...ids.slice(Math.max(0, place - 1), place)];
}

// Which screenshot comes after which, in the order of the list.

/** @import { Screenshot } from "./types.js" */

/** @typedef {(id: string) => Screenshot | undefined} FindScreenshot */

/**
 * Return the id that is `by` places away, or null beyond the ends.
 * @param {readonly string[]} ids
 * @param {string | null} current
 * @param {1 | -1} by
 */
export function neighborOf(ids, current, by) {
  const place = current === null ? -1 : ids.indexOf(current);
  if (place < 0) {
    return (by > 0 ? ids[0] : ids.at(-1)) ?? null;
  }
  return ids[place + by] ?? null;
}

/**
 * Return the next undecided screenshot after the last of `from`; from the top once the end is reached.
 * @param {readonly string[]} ids
 * @param {readonly string[]} from
 * @param {FindScreenshot} findScreenshot
 */
export function nextUndecided(ids, from, findScreenshot) {
  const passed = new Set(from);
  const start = ids.findLastIndex((id) => passed.has(id)) + 1;
  const ordered = [...ids.slice(start), ...ids.slice(0, start)];
  return ordered.find((id) => !passed.has(id) && isUndecided(findScreenshot(id))) ?? null;
}

/**
 * Whether a person has to decide about it.
 * @param {Screenshot | undefined} screenshot
 */
export function isUndecided(screenshot) {
  return isDecidable(screenshot) && screenshot?.state !== "unchanged" && screenshot?.decision === "";
}

/**
 * Whether a person can decide about it: failed ones have no image, pending ones no result.
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
 * Return up to `count` ids after the current one and one before it: what is seen next.
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

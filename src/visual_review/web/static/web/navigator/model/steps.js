// Which screenshot comes next.

/** @import { Screenshot } from "../../review/types.js" */

/**
 * Return the screenshot so many places further, or the last one in this direction.
 *
 * If the list does not have the current screenshot, the first one is next.
 *
 * @param {readonly string[]} ids
 * @param {string | null} current
 * @param {number} by
 * @returns {string | null}
 */
export function findStep(ids, current, by) {
  const place = current === null ? -1 : ids.indexOf(current);
  if (place === -1) {
    return ids[0] ?? null;
  }
  const wanted = Math.min(Math.max(0, place + by), ids.length - 1);
  return ids[wanted] ?? null;
}

/**
 * Return the next undecided screenshot, going round at the end; null where none is left.
 *
 * @param {readonly string[]} ids
 * @param {string | null} current
 * @param {ReadonlyMap<string, Screenshot>} screenshots
 * @param {1 | -1} [by]
 * @returns {string | null}
 */
export function findUndecided(ids, current, screenshots, by = 1) {
  const place = current === null ? -1 : ids.indexOf(current);
  const start = place === -1 && by === -1 ? 0 : place;
  for (let step = 1; step <= ids.length; step += 1) {
    const index = (start + step * by + ids.length * 2) % ids.length;
    const id = ids[index];
    if (id !== undefined && id !== current && needsDecision(screenshots.get(id))) {
      return id;
    }
  }
  return null;
}

/**
 * @param {Screenshot | undefined} screenshot
 */
export function needsDecision(screenshot) {
  return (
    screenshot !== undefined &&
    screenshot.decision === "" &&
    ["changed", "new", "removed"].includes(screenshot.state)
  );
}

// The units of the list: a story's variants shown together, and the section of these variants.

/** @import { Screenshot } from "../../review/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { Sort } from "./view.js" */

import { DEVICES, THEMES } from "./names.js";

/** @typedef {"failed" | "changed" | "new" | "removed" | "elsewhere" | "decided" | "pending" | "unchanged"} SectionName */

/**
 * Variants of a story in one line.
 *
 * @typedef {object} Part
 * @property {string} storyId
 * @property {string} title
 * @property {string | null} groupId
 * @property {Screenshot[]} screenshots
 */

/** The order of work. @type {readonly SectionName[]} */
export const SECTIONS = ["failed", "changed", "new", "removed", "elsewhere", "decided", "pending", "unchanged"];

/** @type {readonly ("changed" | "new" | "removed")[]} */
const REVIEWED = ["changed", "new", "removed"];

/**
 * Collect screenshots by story, and by group where ``byGroup`` says so, in their order.
 *
 * @param {Iterable<Screenshot>} screenshots
 * @param {boolean} byGroup
 * @returns {Part[]}
 */
export function collectParts(screenshots, byGroup) {
  /** @type {Map<string, Part>} */
  const parts = new Map();
  for (const each of screenshots) {
    const groupId = byGroup ? each.groupId : null;
    const key = `${groupId ?? ""} ${each.storyId}`;
    const part = parts.get(key);
    if (part) {
      part.screenshots.push(each);
    } else {
      parts.set(key, {
        storyId: each.storyId,
        title: each.title,
        groupId,
        screenshots: [each],
      });
    }
  }
  for (const part of parts.values()) {
    part.screenshots.sort((one, other) => variantRank(one) - variantRank(other));
  }
  return [...parts.values()];
}

/**
 * Return the section of changed, new and removed screenshots shown together.
 *
 * @param {Iterable<Screenshot>} screenshots
 * @param {Arrangement} arrangement
 * @returns {"changed" | "new" | "removed" | "decided"}
 */
export function sectionOf(screenshots, arrangement) {
  const undecided = new Set();
  for (const each of screenshots) {
    const place = arrangement.get(each.id) ?? each;
    if (place.decision === "") {
      undecided.add(each.state);
    }
  }
  return REVIEWED.find((state) => undecided.has(state)) ?? "decided";
}

/**
 * Return the parts in the order chosen by a person; "group" keeps the server's.
 *
 * @param {Part[]} parts
 * @param {Sort} sort
 */
export function sortParts(parts, sort) {
  if (sort === "largest") {
    return sortByNumber(parts, (part) => Math.max(...part.screenshots.map(({ ratio }) => ratio)));
  }
  return sort === "story" ? sortByTitle(parts) : parts;
}

/** @param {readonly Part[]} parts */
export function sortByTitle(parts) {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return [...parts].sort(
    (one, other) => compare(one.title, other.title) || compare(one.storyId, other.storyId),
  );
}

/**
 * @param {readonly Part[]} parts
 * @param {(part: Part) => number} measure
 */
function sortByNumber(parts, measure) {
  const measured = parts.map((part) => ({ part, size: measure(part) }));
  measured.sort((one, other) => other.size - one.size);
  return measured.map(({ part }) => part);
}

/** @param {Pick<Screenshot, "theme" | "device">} screenshot */
export function variantRank({ theme, device }) {
  return THEMES.indexOf(theme) * DEVICES.length + DEVICES.indexOf(device);
}

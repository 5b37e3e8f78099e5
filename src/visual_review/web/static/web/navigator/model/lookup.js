// The screenshots of a story and of a group, independent of the list.

/** @import { Screenshot, Snapshot } from "../../review/types.js" */

import { findShared } from "./shared_names.js";

/** @import { SharedNames } from "./shared_names.js" */

/**
 * @typedef {object} Lookup
 * @property {ReadonlyMap<string, readonly string[]>} byStory
 * @property {ReadonlyMap<string, readonly string[]>} byGroup
 * @property {ReadonlyMap<string, number>} unchangedVariants
 * @property {SharedNames} shared The common beginning of all names.
 */

/**
 * @param {Snapshot} snapshot
 * @returns {Lookup}
 */
export function createLookup(snapshot) {
  /** @type {Map<string, string[]>} */
  const byStory = new Map();
  /** @type {Map<string, string[]>} */
  const byGroup = new Map();
  for (const { id, storyId, groupId } of snapshot.screenshots.values()) {
    append(byStory, storyId, id);
    if (groupId) {
      append(byGroup, groupId, id);
    }
  }
  const titles = new Set([...snapshot.screenshots.values()].map(({ title }) => title));
  return { byStory, byGroup, unchangedVariants: snapshot.unchangedVariants ?? new Map(), shared: findShared(titles) };
}

/**
 * @param {readonly string[]} ids
 * @param {Pick<Snapshot, "screenshots">} snapshot
 * @returns {Screenshot[]}
 */
export function findScreenshots(ids, { screenshots }) {
  return ids.flatMap((id) => screenshots.get(id) ?? []);
}

/**
 * @param {Map<string, string[]>} lists
 * @param {string} key
 * @param {string} value
 */
function append(lists, key, value) {
  const list = lists.get(key);
  if (list) {
    list.push(value);
  } else {
    lists.set(key, [value]);
  }
}

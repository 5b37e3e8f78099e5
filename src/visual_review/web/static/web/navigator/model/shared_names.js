// The common beginning of all stories' names: shown once above the list instead of in each line.

import { splitTitle } from "./folders.js";

/** @typedef {{folders: readonly string[], prefix: string}} SharedNames */

/** @type {SharedNames} */
export const NOTHING_SHARED = { folders: [], prefix: "" };

/** A shorter beginning costs more to look up than it saves. */
const LEAST_PREFIX = 6;
/** Where a name may be cut: after a mark between words. */
const AFTER_MARK = /[-_ .:›]+(?=[^-_ .:›]*$)/u;

/**
 * Return the common folders of all titles, and the common beginning of all names.
 *
 * @param {Iterable<string>} titles
 * @returns {SharedNames}
 */
export function findShared(titles) {
  const all = [...titles].map(splitTitle);
  const [first] = all;
  if (!first || all.length < 2) {
    return NOTHING_SHARED;
  }
  const count = all.reduce((least, { path }) => Math.min(least, countSame(first.path, path)), first.path.length);
  // Something is left of each name.
  const length = all.reduce((least, { name }) => Math.min(least, countSame(first.name, name), name.length - 1), first.name.length);
  const same = first.name.slice(0, length);
  const mark = AFTER_MARK.exec(same);
  const prefix = mark ? same.slice(0, mark.index + mark[0].length) : "";
  return { folders: first.path.slice(0, count), prefix: prefix.length >= LEAST_PREFIX ? prefix : "" };
}

/**
 * Return the text above the list; nothing where the names have nothing in common.
 *
 * @param {SharedNames} shared
 */
export function describeShared({ folders, prefix }) {
  const texts = [folders.join(" / "), prefix && `${prefix}…`];
  return texts.filter(Boolean).join(" / ");
}

/**
 * @param {ArrayLike<string>} one
 * @param {ArrayLike<string>} other
 */
function countSame(one, other) {
  let count = 0;
  while (count < Math.min(one.length, other.length) && one[count] === other[count]) {
    count += 1;
  }
  return count;
}

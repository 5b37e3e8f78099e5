// The images to forget, so that memory stays bounded; the oldest ones first.

/**
 * @typedef {object} CacheEntry
 * @property {string} url
 * @property {number} pixels
 * @property {number} lastUsed
 * @property {boolean} isShown
 */

/**
 * Return the URLs to forget; shown images stay, however large.
 *
 * @param {Iterable<CacheEntry>} stored
 * @param {number} budget In pixels.
 * @returns {string[]}
 */
export function chooseForgotten(stored, budget) {
  const all = [...stored];
  let total = all.reduce((sum, each) => sum + each.pixels, 0);
  const forgotten = [];
  for (const each of all.toSorted((one, other) => one.lastUsed - other.lastUsed)) {
    if (total <= budget) {
      break;
    }
    if (!each.isShown) {
      total -= each.pixels;
      forgotten.push(each.url);
    }
  }
  return forgotten;
}

/**
 * Return how many of the coming images there is room for, next to the shown ones.
 *
 * @param {readonly number[]} coming Numbers of pixels, the next image first.
 * @param {number} shown
 * @param {number} budget
 */
export function countWithRoom(coming, shown, budget) {
  let total = shown;
  let count = 0;
  for (const pixels of coming) {
    total += pixels;
    if (total > budget) {
      break;
    }
    count += 1;
  }
  return count;
}

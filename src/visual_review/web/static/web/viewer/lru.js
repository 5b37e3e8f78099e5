// Which images to forget, so that memory stays bounded; the oldest ones first.

/**
 * @typedef {object} Stored
 * @property {string} url
 * @property {number} pixels
 * @property {number} lastUsed
 * @property {boolean} isShown
 */

/**
 * Return the URLs to forget; what is shown now stays, however large it is.
 *
 * @param {Iterable<Stored>} stored
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
 * Return how many of the coming images there is room for, next to what is shown.
 *
 * @param {readonly number[]} coming Their pixels, the next one first.
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

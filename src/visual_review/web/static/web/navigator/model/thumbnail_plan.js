// Which thumbnails to request now, and when to request thumbnails again that are not rendered yet.

const MOST_IDS = 60;
const FIRST_WAIT = 2000;
const LONGEST_WAIT = 60_000;

/** The earliest time for requesting each missing thumbnail again. */
export class RetryTimes {
  /** @type {Map<string, {after: number, wait: number}>} */
  #times = new Map();

  /** @param {string} id */
  has(id) {
    return this.#times.has(id);
  }

  /** @param {string} id */
  after(id) {
    return this.#times.get(id)?.after ?? 0;
  }

  /**
   * @param {string} id
   * @param {number} now In milliseconds.
   */
  postpone(id, now) {
    const before = this.#times.get(id)?.wait ?? FIRST_WAIT / 2;
    const wait = Math.min(before * 2, LONGEST_WAIT);
    this.#times.set(id, { after: now + wait, wait });
  }

  /** Ask at once, past the browser's cache. @param {string} id */
  renew(id) {
    this.#times.set(id, { after: 0, wait: FIRST_WAIT / 2 });
  }

  /** @param {string} id */
  clear(id) {
    this.#times.delete(id);
  }
}

/**
 * Choose the first missing ones; without any, say how long to wait.
 *
 * @param {readonly string[]} missing
 * @param {RetryTimes} retries
 * @param {number} now
 * @returns {{ids: string[], wait: number | null}}
 */
export function chooseBatch(missing, retries, now) {
  const ids = missing.filter((id) => retries.after(id) <= now).slice(0, MOST_IDS);
  if (ids.length > 0 || missing.length === 0) {
    return { ids, wait: null };
  }
  return { ids, wait: Math.min(...missing.map((id) => retries.after(id))) - now };
}

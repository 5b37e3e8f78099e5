// Keeps unsent decisions over a reload, a sign-in and a crash of the browser.

import { keep } from "./browser_storage.js";
import { parseEntries, serializeEntries } from "./decision_queue.js";

/** @import { QueueEntry } from "./decision_queue.js" */

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} KeyValueStore */

/** @typedef {{shared: KeyValueStore, own: KeyValueStore}} Stores */

const PREFIX = "visual-review.decisions";
const BEAT_EVERY = 5_000;
// Another open page keeps writing its own entries; a crashed page writes no more.
const ABANDONED_AFTER = 20_000;

/**
 * Each load of the page has a key of its own, so that two pages do not overwrite each other's
 * entries.
 */
export class QueueStorage {
  #stores;
  #scope;
  #key;
  /** @type {readonly QueueEntry[]} */
  #entries = [];

  /**
   * @param {Stores} stores
   * @param {{buildId: string, reviewerId: string, loadId: string}} page
   */
  constructor(stores, { buildId, reviewerId, loadId }) {
    this.#stores = stores;
    this.#scope = `${PREFIX}.${reviewerId}.${buildId}.`;
    this.#key = this.#scope + loadId;
  }

  /**
   * Take over entries that the last load of this page, or a crashed page, left.
   * @param {number} now
   * @returns {QueueEntry[]}
   */
  adopt(now) {
    const previous = this.#stores.own.getItem(this.#scope);
    /** @type {Map<string, QueueEntry>} */
    const found = new Map();
    for (const key of this.#keys()) {
      const { at, entries } = parseStored(this.#stores.shared.getItem(key), now);
      if (key === previous || now - at > ABANDONED_AFTER) {
        entries.forEach((entry) => found.set(entry.requestId, entry));
        this.#stores.shared.removeItem(key);
      }
    }
    keep(this.#stores.own, this.#scope, this.#key);
    return [...found.values()].sort((a, b) => a.madeAt - b.madeAt);
  }

  /**
   * @param {readonly QueueEntry[]} entries
   * @param {number} [now]
   */
  write(entries, now = Date.now()) {
    this.#entries = entries;
    // Full or forbidden: decisions are still sent, and leaving the page warns.
    keep(this.#stores.shared, this.#key, entries.length > 0 ? `${now} ${serializeEntries(entries)}` : "");
  }

  /** Show other pages that this page still cares for its decisions. */
  startBeating() {
    setInterval(() => {
      if (this.#entries.length > 0) {
        this.write(this.#entries);
      }
    }, BEAT_EVERY);
  }

  #keys() {
    const { shared } = this.#stores;
    const keys = Array.from({ length: shared.length }, (_, place) => shared.key(place) ?? "");
    return keys.filter((key) => key.startsWith(this.#scope));
  }
}

/**
 * @param {string | null} text
 * @param {number} now
 */
function parseStored(text, now) {
  const [at = "", ...rest] = (text ?? "").split(" ");
  return { at: Number(at), entries: parseEntries(rest.join(" ") || null, now) };
}

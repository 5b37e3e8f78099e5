// Details of screenshots, loaded a window at a time, in advance.

import { getJson } from "./requests.js";

/** @import { Details } from "./types.js" */
/** @import { DetailsList } from "./wire.js" */

/** As many as the server gives in one response. */
export const WINDOW = 60;
const MOST_KEPT = 2_000;

/** Event `details` (detail: the loaded ids). */
export class DetailsCache extends EventTarget {
  #url;
  #load;
  /** @type {Map<string, Details>} */
  #kept = new Map();
  /** @type {Map<string, Promise<void>>} */
  #loading = new Map();
  /** @type {Set<string>} Screenshots that a decision changed; their images stay the same. */
  #outdated = new Set();

  /**
   * @param {string} url
   * @param {(url: string) => Promise<unknown>} [load]
   */
  constructor(url, load = getJson) {
    super();
    this.#url = url;
    this.#load = load;
  }

  /** @param {string} id */
  get(id) {
    return this.#kept.get(id) ?? null;
  }

  /**
   * Load the missing details, one request for each window.
   * @param {readonly string[]} ids
   */
  async load(ids) {
    const missing = ids.filter((id) => !this.#loading.has(id) && (!this.#kept.has(id) || this.#outdated.has(id)));
    for (let start = 0; start < missing.length; start += WINDOW) {
      this.#startWindow(missing.slice(start, start + WINDOW));
    }
    await Promise.all(ids.map((id) => this.#loading.get(id)));
  }

  /** @param {Iterable<string>} ids */
  markOutdated(ids) {
    for (const id of ids) {
      if (this.#kept.has(id) || this.#loading.has(id)) {
        this.#outdated.add(id);
      }
    }
  }

  clear() {
    this.#kept.clear();
    this.#outdated.clear();
  }

  /** @param {readonly string[]} ids */
  #startWindow(ids) {
    const loading = this.#loadWindow(ids).finally(() => {
      for (const id of ids) {
        this.#loading.delete(id);
      }
    });
    for (const id of ids) {
      this.#outdated.delete(id);
      this.#loading.set(id, loading);
    }
  }

  /** @param {readonly string[]} ids */
  async #loadWindow(ids) {
    const url = `${this.#url}?ids=${ids.map(encodeURIComponent).join(",")}`;
    const { screenshots } = /** @type {DetailsList} */ (await this.#load(url));
    for (const each of screenshots) {
      this.#kept.delete(each.id);
      this.#kept.set(each.id, each);
    }
    this.#forgetOldest();
    this.dispatchEvent(new CustomEvent("details", { detail: ids }));
  }

  #forgetOldest() {
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) {
        return;
      }
      this.#kept.delete(id);
    }
  }
}

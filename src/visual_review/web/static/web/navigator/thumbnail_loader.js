// Fetch the visible thumbnails, many with one request, and remember the latest.

import { LeastRecentlyUsed } from "./model/lru.js";
import { readThumbnails } from "./model/thumbnail_answer.js";
import { chooseBatch, RetryTimes } from "./model/thumbnail_plan.js";
import { shrinkThumbnail } from "./thumbnail_pixels.js";

// About 60 KB each on a screen of double density.
const MOST_KEPT = 600;
const MOST_BATCHES = 2;
// Milliseconds between requests while the list moves: lines appearing together share one request.
const PAUSE = 60;

/** @typedef {{ids: ReadonlySet<string>, controller: AbortController}} Batch */

/** Event `thumbnails` with the ids of thumbnails that can be shown now. */
export class ThumbnailLoader extends EventTarget {
  #url;
  /** @type {LeastRecentlyUsed<ImageBitmap>} */
  #kept = new LeastRecentlyUsed(MOST_KEPT, (bitmap) => bitmap.close());
  #retries = new RetryTimes();
  /** @type {readonly string[]} */
  #wanted = [];
  /** @type {Set<Batch>} */
  #batches = new Set();
  #timer = 0;
  #dueAt = 0;
  #filledAt = -PAUSE;

  /** @param {string} url */
  constructor(url) {
    super();
    this.#url = url;
  }

  /** @param {string} id */
  get(id) {
    return this.#kept.get(id);
  }

  /**
   * Load these thumbnails, the first ones first, and stop loading all others.
   *
   * @param {readonly string[]} ids
   */
  want(ids) {
    this.#wanted = ids;
    for (const batch of this.#batches) {
      if (!ids.some((id) => batch.ids.has(id))) {
        batch.controller.abort();
      }
    }
    this.#schedule(this.#filledAt + PAUSE - performance.now());
  }

  /** Load changed thumbnails again. @param {Iterable<string>} ids */
  reload(ids) {
    for (const id of ids) {
      this.#kept.delete(id);
      this.#retries.renew(id);
    }
  }

  /**
   * Fill after the delay, or earlier if a fill is due: a moving list must not postpone the fill.
   *
   * @param {number} delay
   */
  #schedule(delay) {
    const dueAt = performance.now() + Math.max(0, delay);
    if (this.#timer !== 0 && this.#dueAt <= dueAt) {
      return;
    }
    window.clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = window.setTimeout(() => this.#fill(), delay);
  }

  #fill() {
    this.#timer = 0;
    this.#filledAt = performance.now();
    const busy = new Set([...this.#batches].flatMap(({ ids }) => [...ids]));
    const missing = this.#wanted.filter((id) => !this.#kept.has(id) && !busy.has(id));
    const { ids, wait } = chooseBatch(missing, this.#retries, performance.now());
    if (ids.length > 0 && this.#batches.size < MOST_BATCHES) {
      void this.#load(ids);
    } else if (wait !== null) {
      this.#schedule(wait);
    }
  }

  /** @param {readonly string[]} ids */
  async #load(ids) {
    const batch = { ids: new Set(ids), controller: new AbortController() };
    this.#batches.add(batch);
    try {
      const answer = await this.#request(ids, batch.controller.signal);
      await this.#keep(ids, answer);
    } catch (error) {
      if (!batch.controller.signal.aborted) {
        ids.forEach((id) => this.#retries.postpone(id, performance.now()));
      } else if (!(error instanceof DOMException)) {
        throw error;
      }
    } finally {
      this.#batches.delete(batch);
      this.#schedule(0);
    }
  }

  /**
   * @param {readonly string[]} ids
   * @param {AbortSignal} signal
   */
  async #request(ids, signal) {
    const url = `${this.#url}?ids=${ids.map(encodeURIComponent).join(",")}`;
    // A thumbnail that was missing a moment ago is requested again past the browser's cache.
    const cache = ids.some((id) => this.#retries.has(id)) ? "reload" : "default";
    const response = await fetch(url, { signal, cache, credentials: "same-origin" });
    if (!response.ok) {
      throw new Error(`Thumbnails could not be loaded: ${response.status}.`);
    }
    return response.arrayBuffer();
  }

  /**
   * @param {readonly string[]} ids
   * @param {ArrayBuffer} answer
   */
  async #keep(ids, answer) {
    const files = readThumbnails(answer);
    await Promise.all(
      ids.map(async (id) => {
        const file = files.get(id);
        const bitmap = file ? await shrinkThumbnail(file) : null;
        if (bitmap) {
          this.#kept.set(id, bitmap);
          this.#retries.clear(id);
        } else {
          this.#retries.postpone(id, performance.now());
        }
      }),
    );
    this.dispatchEvent(new CustomEvent("thumbnails", { detail: new Set(ids) }));
  }
}

// The images in memory: the shown ones and the next ones, within a budget of pixels.

/** @import { ImageSource } from "./types.js" */
/** @import { DecodedImage } from "./decoded_image.js" */

import { chooseForgotten, countWithRoom } from "./lru.js";

/** A pixel takes four bytes: 160 MB, in addition to the shown images. */
export const BUDGET = 40_000_000;
const PREFETCHES_AT_ONCE = 2;

/**
 * @typedef {object} Entry
 * @property {string} url
 * @property {"loading" | "ready" | "failed"} status
 * @property {DecodedImage | null} image
 * @property {string} error
 * @property {number} pixels
 * @property {number} lastUsed
 * @property {boolean} isShown
 * @property {AbortController} controller
 */

/** @import { LoadOptions } from "./image_loader.js" */
/** @typedef {(url: string, options: LoadOptions) => Promise<DecodedImage>} Load */

export class ImageStore {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** @type {ImageSource[]} */
  #coming = [];
  #clock = 0;

  /**
   * @param {Load} load
   * @param {(entry: Entry) => void} onSettled Called when an image is ready or has failed.
   * @param {number} [budget]
   */
  constructor(load, onSettled, budget = BUDGET) {
    this.load = load;
    this.onSettled = onSettled;
    this.budget = budget;
  }

  /** @param {ImageSource | null} source */
  entry(source) {
    return source ? this.#entries.get(source.url) : undefined;
  }

  /** @param {readonly ImageSource[]} sources */
  areReady(sources) {
    return sources.length > 0 && sources.every((source) => this.entry(source)?.status === "ready");
  }

  /**
   * Load the shown images, before everything else.
   *
   * @param {readonly ImageSource[]} sources
   */
  show(sources) {
    const urls = new Set(sources.map((source) => source.url));
    for (const entry of this.#entries.values()) {
      entry.isShown &&= urls.has(entry.url);
    }
    for (const source of sources) {
      const stored = this.#entries.get(source.url);
      // An image that failed while it was prefetched may be there now.
      const isUsable = stored && (stored.status !== "failed" || stored.isShown);
      const entry = isUsable ? stored : this.#begin(source, "high");
      entry.isShown = true;
      entry.lastUsed = ++this.#clock;
    }
    this.#forget();
  }

  /**
   * Load the next images, as far as there is room; loads of distant images are canceled.
   *
   * @param {readonly ImageSource[]} sources The next ones first.
   */
  prefetch(sources) {
    const urls = new Set(sources.map((source) => source.url));
    for (const entry of this.#entries.values()) {
      if (entry.status === "loading" && !entry.isShown && !urls.has(entry.url)) {
        this.#drop(entry);
      }
    }
    const unique = [...new Map(sources.map((source) => [source.url, source])).values()];
    const pixels = unique.map((source) => source.width * source.height);
    this.#coming = unique.slice(0, countWithRoom(pixels, this.#shownPixels(), this.budget));
    this.#continuePrefetch();
  }

  /** @param {ImageSource} source */
  retry(source) {
    const failed = this.#entries.get(source.url);
    if (failed?.status === "failed") {
      this.#entries.delete(source.url);
      this.show([...this.#shownSources(), source]);
    }
  }

  clear() {
    this.#coming = [];
    for (const entry of this.#entries.values()) {
      this.#drop(entry);
    }
  }

  #continuePrefetch() {
    const waiting = this.#coming.filter((source) => !this.#entries.has(source.url));
    for (const source of waiting.slice(0, PREFETCHES_AT_ONCE - this.#countLoading())) {
      this.#begin(source, "low");
    }
    // Of the loaded images, the next ones are forgotten last.
    for (const source of this.#coming.toReversed()) {
      const entry = this.#entries.get(source.url);
      if (entry && !entry.isShown) {
        entry.lastUsed = ++this.#clock;
      }
    }
  }

  /**
   * @param {ImageSource} source
   * @param {"high" | "low"} priority
   * @returns {Entry}
   */
  #begin(source, priority) {
    /** @type {Entry} */
    const entry = {
      url: source.url,
      status: "loading",
      image: null,
      error: "",
      pixels: source.width * source.height,
      lastUsed: ++this.#clock,
      isShown: false,
      controller: new AbortController(),
    };
    this.#entries.set(source.url, entry);
    void this.#settle(entry, priority);
    return entry;
  }

  /**
   * @param {Entry} entry
   * @param {"high" | "low"} priority
   */
  async #settle(entry, priority) {
    const { signal } = entry.controller;
    try {
      const image = await this.load(entry.url, { signal, priority, pixels: entry.pixels });
      if (signal.aborted) {
        image.close();
        return;
      }
      Object.assign(entry, { status: "ready", image, pixels: image.pixels });
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      const message = error instanceof Error ? error.message : String(error);
      Object.assign(entry, { status: "failed", error: message });
    }
    this.#forget();
    this.onSettled(entry);
    this.#continuePrefetch();
  }

  #forget() {
    for (const url of chooseForgotten(this.#entries.values(), this.budget)) {
      const entry = this.#entries.get(url);
      if (entry) {
        this.#drop(entry);
      }
    }
  }

  /** @param {Entry} entry */
  #drop(entry) {
    this.#entries.delete(entry.url);
    entry.controller.abort();
    entry.image?.close();
  }

  #countLoading() {
    return [...this.#entries.values()].filter((entry) => entry.status === "loading").length;
  }

  #shownPixels() {
    return [...this.#entries.values()]
      .filter((entry) => entry.isShown)
      .reduce((sum, entry) => sum + entry.pixels, 0);
  }

  #shownSources() {
    return [...this.#entries.values()]
      .filter((entry) => entry.isShown)
      .map((entry) => ({ url: entry.url, width: 0, height: 0 }));
  }
}

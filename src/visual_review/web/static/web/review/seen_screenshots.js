// The screenshots with all changes in view, kept in the browser over a reload.

import { keep } from "./browser_storage.js";
import { isToReview } from "./progress.js";

/** @import { KeyValueStore } from "./queue_storage.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Screenshot } from "./types.js" */

const MOST_BUILDS = 10;
const MOST_SCREENSHOTS = 2_000;
/** Milliseconds until seen screenshots are written. */
const DELAY = 500;

/** Event `seen` of the store follows each change. */
export class SeenScreenshots {
  #store;
  #storage;
  #keys;
  /** @type {Set<string>} */
  #seen;
  #timer = 0;

  /**
   * @param {ReviewStore} store
   * @param {KeyValueStore} storage
   * @param {{reviewerId: string, buildId: string}} whose
   */
  constructor(store, storage, { reviewerId, buildId }) {
    this.#store = store;
    this.#storage = storage;
    const builds = `visual-review.seen.${reviewerId}`;
    this.#keys = { builds, build: `${builds}.${buildId}`, buildId };
    this.#seen = new Set((storage.getItem(this.#keys.build) ?? "").split("\n"));
    addEventListener("pagehide", () => this.#write());
  }

  /** @param {string} id */
  has(id) {
    const screenshot = this.#store.screenshot(id);
    return screenshot !== undefined && this.#seen.has(nameSeen(screenshot));
  }

  /** @param {readonly string[]} ids */
  add(ids) {
    const found = ids.filter((id) => !this.has(id)).flatMap((id) => this.#store.screenshot(id) ?? []);
    for (const screenshot of found) {
      this.#seen.add(nameSeen(screenshot));
    }
    if (found.length > 0) {
      this.#store.showSeen();
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#write(), DELAY);
    }
  }

  /** Count the screenshots to review that were not completely in view. */
  countUnseen() {
    let count = 0;
    for (const screenshot of this.#store.snapshot?.screenshots.values() ?? []) {
      count += isToReview(screenshot) && !this.#seen.has(nameSeen(screenshot)) ? 1 : 0;
    }
    return count;
  }

  #write() {
    const { builds, build, buildId } = this.#keys;
    const before = (this.#storage.getItem(builds) ?? "").split("\n").filter((id) => id && id !== buildId);
    const kept = [...before, buildId].slice(-MOST_BUILDS);
    for (const id of before.filter((each) => !kept.includes(each))) {
      keep(this.#storage, `${builds}.${id}`, "");
    }
    keep(this.#storage, builds, kept.join("\n"));
    keep(this.#storage, build, [...this.#seen].slice(-MOST_SCREENSHOTS).join("\n"));
  }
}

/** Compared again, a screenshot is to be seen again. @param {Screenshot} screenshot */
function nameSeen({ id, ratio }) {
  return `${id} ${ratio}`;
}

// The page's data, in one place. Parts of the page listen for events instead of calling each other.

/** @import { Build, Item, Screenshot, Snapshot } from "./types.js" */

/**
 * Events: `rows` (detail: changed ids, or null for all), `items` (the visible list), `current`,
 * `selection`, `seen`, `threads`, `build`.
 */
export class ReviewStore extends EventTarget {
  /** @type {Snapshot | null} */
  snapshot = null;
  /** @type {readonly Item[]} The visible lines, in order. */
  items = [];
  /** @type {string | null} The screenshot in the viewer. */
  current = null;
  /** @type {ReadonlySet<string>} */
  selection = new Set();

  /** Whether all of a screenshot's changes were in view. @type {(id: string) => boolean} */
  isSeen = () => true;

  /** How many open threads a screenshot has. @type {(id: string) => number} */
  openThreads = () => 0;

  /** @type {string[] | null} */
  #visibleIds = null;

  /** @param {Snapshot} snapshot */
  load(snapshot) {
    this.snapshot = snapshot;
    this.#emit("build");
    this.#emit("rows", null);
  }

  /**
   * Replace screenshots, after a person's decision or with the server's rows.
   *
   * @param {Iterable<Screenshot>} screenshots
   */
  applyRows(screenshots) {
    const ids = [];
    for (const each of screenshots) {
      this.snapshot?.screenshots.set(each.id, each);
      ids.push(each.id);
    }
    this.#emit("rows", ids);
  }

  /** @param {Build} build */
  setBuild(build) {
    if (this.snapshot) {
      this.snapshot.build = build;
      this.#emit("build");
    }
  }

  /** @param {readonly Item[]} items */
  setItems(items) {
    this.items = items;
    this.#visibleIds = null;
    this.#emit("items");
  }

  /** @param {string | null} id */
  setCurrent(id) {
    if (id !== this.current) {
      this.current = id;
      this.#emit("current");
    }
  }

  /** @param {Iterable<string>} ids */
  setSelection(ids) {
    this.selection = new Set(ids);
    this.#emit("selection");
  }

  /** @param {(id: string) => number} openThreads */
  setOpenThreads(openThreads) {
    this.openThreads = openThreads;
    this.#emit("threads");
  }

  /** Report that other changes were in view. */
  showSeen() {
    this.#emit("seen");
  }

  /** @param {string} id */
  screenshot(id) {
    return this.snapshot?.screenshots.get(id);
  }

  /** Return the ids of the visible screenshots, each once, in the order of the list. */
  visibleIds() {
    this.#visibleIds ??= [...new Set(this.items.flatMap((item) => item.ids))];
    return this.#visibleIds;
  }

  /**
   * @param {string} name
   * @param {readonly string[] | null} [detail]
   */
  #emit(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

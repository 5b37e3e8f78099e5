// The state of the list: the snapshot, choices and folds, and the resulting lines.

/** @import { Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { Line } from "./lines.js" */
/** @import { Lookup } from "./lookup.js" */
/** @import { View } from "./view.js" */

import { arrange, countMisplaced, extendArrangement } from "./arrangement.js";
import { countFacets } from "./filters.js";
import { buildItems, explainEmpty } from "./items.js";
import { createLookup } from "./lookup.js";
import { NOTHING_SHARED } from "./shared_names.js";
import { countFilters, DEFAULT_VIEW } from "./view.js";

const UNCHANGED = "section:unchanged";

export class ListModel {
  /** @type {View} */
  view = DEFAULT_VIEW;
  /** @type {readonly Line[]} */
  lines = [];
  /** @type {Lookup} */
  lookup = { byStory: new Map(), byGroup: new Map(), unchangedVariants: new Map(), shared: NOTHING_SHARED };
  /** The text of the line that stands for unchanged screenshots. */
  loading = "";
  /** @type {readonly string[]} Screenshots that look different since the last update. */
  recompared = [];
  /** @type {Snapshot | null} */
  #snapshot = null;
  /** @type {Arrangement} */
  #arrangement = new Map();
  /** @type {Map<string, boolean>} */
  #folds = new Map();
  /** @type {Map<string, Screenshot>} */
  #seen = new Map();
  /** @type {Map<string, string>} */
  #lineKeys = new Map();

  /**
   * Take over the server's data.
   *
   * @param {Snapshot} snapshot
   * @param {readonly string[] | null} ids The changed screenshots, or null for all.
   * @returns {boolean} Whether lines changed, and not only their content.
   */
  update(snapshot, ids) {
    this.recompared = this.#findRecompared(snapshot, ids ?? snapshot.screenshots.keys());
    const isSame = ids !== null && snapshot === this.#snapshot && ids.every((id) => this.#stays(id));
    this.#snapshot = snapshot;
    if (!isSame) {
      this.#arrangement = extendArrangement(this.#arrangement, snapshot.screenshots.values());
      this.lookup = createLookup(snapshot);
      this.#build();
    }
    for (const id of ids ?? snapshot.screenshots.keys()) {
      const screenshot = snapshot.screenshots.get(id);
      if (screenshot) {
        this.#seen.set(id, screenshot);
      }
    }
    return !isSame;
  }

  /** Show another view, with everything in its current place. @param {View} view */
  setView(view) {
    this.view = Object.freeze({ ...view });
    this.#folds.delete(UNCHANGED);
    this.arrange();
  }

  /** Move decided screenshots to their places. */
  arrange() {
    this.#arrangement = arrange(this.#snapshot?.screenshots.values() ?? []);
    this.#build();
  }

  /**
   * @param {string} key
   * @param {boolean} isFolded
   */
  fold(key, isFolded) {
    if (key === UNCHANGED && isFolded === this.view.unchanged) {
      this.view = Object.freeze({ ...this.view, unchanged: !isFolded });
    }
    this.#folds.set(key, isFolded);
    this.#build();
  }

  /** Say something else while unchanged ones are missing. @param {string} text */
  setLoading(text) {
    this.loading = text;
    this.#build();
  }

  /**
   * Unfold the nodes above the screenshot, except its group: the group's line shows the
   * screenshot.
   *
   * @param {string} id
   * @returns {boolean} Whether a node was folded.
   */
  unfoldTo(id) {
    const hiding = this.lines.find(
      (line) => line.isFolded && line.type !== "group" && line.members.includes(id),
    );
    if (!hiding) {
      return false;
    }
    this.fold(hiding.key, false);
    this.unfoldTo(id);
    return true;
  }

  /** Return the key of the screenshot's line, or nothing. @param {string} id */
  keyOf(id) {
    return this.#lineKeys.get(id) ?? "";
  }

  /** Whether unchanged screenshots are shown and not known yet. */
  get needsUnchanged() {
    return this.lines.some(({ type }) => type === "loading");
  }

  /** The number of screenshots for each filter; not a number where unknown. */
  get facetCounts() {
    const snapshot = this.#snapshot;
    if (!snapshot) {
      return null;
    }
    const counts = countFacets(snapshot, this.view, this.#arrangement);
    if (!snapshot.hasUnchanged) {
      const isAll = countFilters({ ...this.view, state: [] }) === 0;
      counts.state.set("unchanged", isAll ? snapshot.unchangedCount : Number.NaN);
      counts.regions.set("1", Number.NaN);
    }
    return counts;
  }

  get misplaced() {
    return countMisplaced(this.#arrangement, this.#snapshot?.screenshots.values() ?? []);
  }

  /** The number of shown stories and screenshots, including folded ones. */
  get shown() {
    const top = this.lines.filter(({ level }) => level === 1);
    const screenshots = top.reduce((sum, { members }) => sum + members.length, 0);
    const ids = top.flatMap(({ members }) => members);
    const stories = new Set(ids.map((id) => this.#snapshot?.screenshots.get(id)?.storyId));
    return { stories: stories.size, screenshots };
  }

  /** Why the list is empty, or null. */
  get emptyReason() {
    if (!this.#snapshot) {
      return "loading";
    }
    return this.lines.length > 0 ? null : explainEmpty(this.#snapshot, this.view);
  }

  #build() {
    if (!this.#snapshot) {
      return;
    }
    const { view, loading } = this;
    const state = { arrangement: this.#arrangement, folds: this.#folds, loading };
    this.lines = buildItems(this.#snapshot, view, state);
    this.#lineKeys = new Map();
    for (const { type, key, ids, isFolded } of this.lines) {
      if (type === "story" || (type === "group" && isFolded)) {
        ids.forEach((id) => this.#lineKeys.set(id, key));
      }
    }
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Iterable<string>} ids
   */
  #findRecompared({ screenshots }, ids) {
    return [...ids].filter((id) => {
      const before = this.#seen.get(id);
      const now = screenshots.get(id);
      return before && now && (before.state !== now.state || before.ratio !== now.ratio);
    });
  }

  /**
   * Whether a screenshot is in the same place with the same fields of filters as before.
   *
   * @param {string} id
   */
  #stays(id) {
    const before = this.#seen.get(id);
    const now = this.#snapshot?.screenshots.get(id);
    return (
      before !== undefined &&
      now !== undefined &&
      before.state === now.state &&
      before.groupId === now.groupId &&
      before.title === now.title &&
      before.kind === now.kind &&
      before.message === now.message &&
      before.unstable === now.unstable &&
      before.hasNotes === now.hasNotes &&
      before.onlyInRegions === now.onlyInRegions
    );
  }
}

// The list on the left of the review page: shows the store's screenshots and chooses among them.

/** @import { ReviewStore } from "../review/store.js" */
/** @import { Line } from "./model/lines.js" */
/** @import { View } from "./model/view.js" */

import { isToReview } from "../review/progress.js";
import { createElement, setText } from "./dom.js";
import { EmptyMessage } from "./empty_message.js";
import { FilterBar } from "./filter_bar.js";
import { listenToTree } from "./line_input.js";
import { LineList } from "./line_list.js";
import { ListFoot } from "./list_foot.js";
import { ListModel } from "./model/list_model.js";
import { mergeUnchanged } from "./model/snapshot.js";
import { describeShared } from "./model/shared_names.js";
import { needsDecision } from "./model/steps.js";
import { viewFromParameters, viewToParameters, withoutFilters } from "./model/view.js";
import { ThumbnailLoader } from "./thumbnail_loader.js";
import { loadUnchanged } from "./unchanged.js";

// Counts may follow a decision a little later than its mark.
const COUNT_DELAY = 150;
const UNCHANGED_FAILED = "The unchanged screenshots could not be loaded. Try again.";

/** @typedef {{indexUrl?: string, thumbnailsUrl?: string}} NavigatorUrls */

/**
 * @param {HTMLElement} element
 * @param {ReviewStore} store
 * @param {NavigatorUrls} urls
 */
export function createNavigator(element, store, urls) {
  return new Navigator(element, store, urls);
}

/**
 * Events: `view` after a person changed the shown screenshots; `open` (detail: a screenshot's id)
 * after a person chose a line, also the current one.
 */
export class Navigator extends EventTarget {
  #store;
  #urls;
  #model = new ListModel();
  #list = new LineList("Stories");
  #bar = new FilterBar((view) => this.#changeView(view));
  #foot = new ListFoot(() => this.arrange());
  #empty = new EmptyMessage(() => this.#changeView(withoutFilters(this.view)));
  #shared = createElement("p", "navigator__shared");
  #thumbnails;
  #isLoading = false;
  #countTimer = 0;

  /**
   * @param {HTMLElement} element
   * @param {ReviewStore} store
   * @param {NavigatorUrls} urls
   */
  constructor(element, store, urls) {
    super();
    this.#store = store;
    this.#urls = urls;
    this.#thumbnails = new ThumbnailLoader(urls.thumbnailsUrl ?? "");
    this.#model.setView(viewFromParameters(new URLSearchParams(window.location.search)));
    const body = createElement("div", "navigator__body");
    body.append(this.#list.scroller, this.#empty.element);
    element.replaceChildren(this.#bar.element, this.#shared, body, this.#foot.element);
    this.#listen();
    listenToTree(this.#list, store, this);
    this.#empty.show("loading");
    if (store.snapshot) {
      this.#update(null);
    }
  }

  get view() {
    return this.#model.view;
  }

  /** Return the parameters that the URL needs to show the same to someone else. */
  parameters() {
    return viewToParameters(this.view);
  }

  /** Show another view, without the event. @param {View} view */
  setView(view) {
    this.#model.setView(view);
    this.#showLines();
    if (!this.#revealCurrent()) {
      this.#list.scrollToStart();
    }
  }

  /** Move decided screenshots to their places; the rest of the list stays. */
  arrange() {
    this.#model.arrange();
    this.#showLines();
  }

  focusSearch() {
    this.#bar.focusSearch();
  }

  openFilters() {
    this.#bar.openFilters();
  }

  focusList() {
    this.#list.focus();
  }

  /**
   * @param {Line} line
   * @param {boolean} isFolded
   */
  fold(line, isFolded) {
    const { unchanged } = this.view;
    this.#model.fold(line.key, isFolded);
    this.#showLines();
    if (unchanged !== this.view.unchanged) {
      this.dispatchEvent(new Event("view"));
    }
  }

  /**
   * Show a line's screenshot in the viewer: the current one if in the line, else an undecided one.
   *
   * @param {Line} line
   */
  show(line) {
    const { current } = this.#store;
    const waiting = line.ids.find((id) => needsDecision(this.#store.screenshot(id)));
    const id = current && line.ids.includes(current) ? current : (waiting ?? line.ids[0]);
    if (line.target || id) {
      this.#store.setCurrent(line.target || (id ?? null));
    }
  }

  /** Move the focus to a line. @param {Line} line */
  focusLine(line) {
    const context = this.#context();
    if (context) {
      this.#list.reveal(line.key, context);
    }
  }

  /** Report that a person chose the current screenshot. */
  open() {
    this.dispatchEvent(new CustomEvent("open", { detail: this.#store.current }));
  }

  retryLoading() {
    this.#model.setLoading("");
    this.#showLines();
  }

  #listen() {
    const store = this.#store;
    store.addEventListener("rows", (event) => {
      this.#update(event instanceof CustomEvent ? event.detail : null);
    });
    store.addEventListener("current", () => {
      if (!this.#revealCurrent()) {
        this.#refresh();
      }
    });
    for (const name of ["selection", "seen", "threads"]) {
      store.addEventListener(name, () => this.#refresh());
    }
    store.addEventListener("build", () => this.#empty.show(this.#model.emptyReason));
    this.#list.addEventListener("shown", () => this.#revealCurrent());
    this.#list.addEventListener("window", () => this.#wantThumbnails());
    this.#thumbnails.addEventListener("thumbnails", (event) => {
      this.#list.showThumbnails(event instanceof CustomEvent ? event.detail : new Set());
    });
  }

  /** @param {readonly string[] | null} ids */
  #update(ids) {
    const { snapshot } = this.#store;
    if (!snapshot) {
      return;
    }
    const isOther = this.#model.update(snapshot, ids);
    this.#thumbnails.reload(this.#model.recompared);
    if (isOther) {
      this.#showLines();
      this.#revealFirst(ids);
    } else {
      this.#refresh();
      this.#countLater();
    }
  }

  // The place in the list is the person's, but for the beginning.
  /** @param {readonly string[] | null} ids */
  #revealFirst(ids) {
    const { current } = this.#store;
    const isUnknown = current !== null && this.#store.screenshot(current) === undefined;
    if (ids === null && (isUnknown || this.#list.scroller.scrollTop === 0)) {
      this.#revealCurrent();
    }
  }

  /** @param {View} view */
  #changeView(view) {
    this.setView(view);
    this.dispatchEvent(new Event("view"));
  }

  #showLines() {
    const context = this.#context();
    if (!context) {
      return;
    }
    const shared = this.view.tree ? "" : describeShared(this.#model.lookup.shared);
    setText(this.#shared, shared && `All in ${shared}`);
    this.#shared.title = shared;
    this.#store.setItems(/** @type {Line[]} */ (this.#model.lines));
    this.#list.setLines(this.#model.lines, context);
    this.#empty.show(this.#model.emptyReason);
    this.#count();
    if (this.#model.needsUnchanged) {
      void this.#loadUnchanged();
    }
  }

  #refresh() {
    const context = this.#context();
    if (context) {
      this.#list.refresh(context);
    }
  }

  #context() {
    const { snapshot, current, selection } = this.#store;
    return (
      snapshot && {
        snapshot,
        lookup: this.#model.lookup,
        isTree: this.view.tree,
        current,
        selection,
        isUnseen: (/** @type {string} */ id) => this.#isUnseen(id),
        openThreads: (/** @type {string} */ id) => this.#store.openThreads(id),
        thumbnail: (/** @type {string} */ id) => this.#thumbnails.get(id),
      }
    );
  }

  /** @param {string} id */
  #isUnseen(id) {
    const screenshot = this.#store.screenshot(id);
    return screenshot !== undefined && isToReview(screenshot) && !this.#store.isSeen(id);
  }

  /** Scroll to the current line, whatever hides the line. */
  #revealCurrent() {
    const { current, snapshot } = this.#store;
    if (current === null || !snapshot) {
      return false;
    }
    if (!snapshot.screenshots.has(current)) {
      void this.#loadUnchanged();
      return false;
    }
    if (!this.#model.keyOf(current) && this.#model.unfoldTo(current)) {
      this.#showLines();
    }
    const key = this.#model.keyOf(current);
    const context = this.#context();
    if (!key || !context) {
      return false;
    }
    this.#list.reveal(key, context);
    return true;
  }

  // A link to unchanged screenshots has nothing to show before.
  #chooseFirst() {
    if (this.#store.current === null) {
      this.#store.setCurrent(this.#store.visibleIds()[0] ?? null);
    }
  }

  #wantThumbnails() {
    const ids = this.#list.wantedThumbnails();
    this.#thumbnails.want(ids.filter((id) => this.#hasImage(id)));
  }

  /** @param {string} id */
  #hasImage(id) {
    const state = this.#store.screenshot(id)?.state;
    return state !== "failed" && state !== "pending";
  }

  #countLater() {
    window.clearTimeout(this.#countTimer);
    this.#countTimer = window.setTimeout(() => this.#count(), COUNT_DELAY);
  }

  #count() {
    const counts = this.#model.facetCounts;
    if (counts) {
      const { stories, screenshots } = this.#model.shown;
      this.#bar.show(this.view, counts);
      this.#foot.showCounts(stories, screenshots);
      this.#foot.showMisplaced(this.#model.misplaced);
    }
  }

  async #loadUnchanged() {
    const { snapshot } = this.#store;
    if (this.#isLoading || this.#model.loading || !snapshot || snapshot.hasUnchanged) {
      return;
    }
    this.#isLoading = true;
    try {
      const answer = await loadUnchanged(this.#urls.indexUrl ?? "");
      this.#store.load(mergeUnchanged(this.#store.snapshot ?? snapshot, answer));
      this.#chooseFirst();
      this.#revealCurrent();
    } catch {
      this.#model.setLoading(UNCHANGED_FAILED);
      this.#showLines();
    } finally {
      this.#isLoading = false;
    }
  }
}

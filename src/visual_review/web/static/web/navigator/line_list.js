// The scrolling list: only lines near the window are in the page, and their elements are used again.

/** @import { Line } from "./model/lines.js" */
/** @import { ListContext } from "./lines/line_view.js" */

import { createElement } from "./dom.js";
import { lineHeights } from "./lines/line_types.js";
import { LineOffsets } from "./model/offsets.js";
import { MountedLines } from "./mounted_lines.js";

// Lines beyond the edges, so that a fast wheel finds them painted.
const OVERSCAN = 600;
// The distance of a line from the edge after scrolling to the line, in pixels.
const MARGIN = 12;

/**
 * Events: `window` when other lines or thumbnails are in the page; `shown` when the list becomes
 * visible again, as on a phone after the viewer.
 */
export class LineList extends EventTarget {
  scroller = createElement("div", "navigator__scroller");
  tree = createElement("div", "navigator__tree");
  /** @type {readonly Line[]} */
  lines = [];
  /** The line that the Tab key reaches. */
  focusKey = "";
  #offsets = new LineOffsets([]);
  /** @type {Map<string, number>} */
  #places = new Map();
  #mounted = new MountedLines();
  /** @type {ListContext | null} */
  #context = null;
  #touch = window.matchMedia("(pointer: coarse)");
  #frame = 0;
  #isHidden = false;

  /** @param {string} label */
  constructor(label) {
    super();
    this.tree.role = "tree";
    this.tree.ariaLabel = label;
    this.tree.ariaMultiSelectable = "true";
    // A tree without items is an error for assistive technology.
    this.tree.hidden = true;
    this.scroller.append(this.tree);
    this.scroller.addEventListener("scroll", () => this.#schedule(), { passive: true });
    this.tree.addEventListener("focusin", (event) => this.#keepFocus(event));
    new ResizeObserver(() => this.#resize()).observe(this.scroller);
    this.#touch.addEventListener("change", () => this.#context && this.setLines(this.lines, this.#context));
  }

  /**
   * Show other lines; the one at the top of the window stays there.
   *
   * @param {readonly Line[]} lines
   * @param {ListContext} context
   */
  setLines(lines, context) {
    const anchor = this.#findAnchor(lines);
    const hadFocus = this.tree.contains(document.activeElement);
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const heights = lineHeights(this.#touch.matches, rem);
    this.lines = lines;
    this.tree.hidden = lines.length === 0;
    this.#context = context;
    this.#places = new Map(lines.map((line, index) => [line.key, index]));
    this.#offsets = new LineOffsets(lines.map(({ type }) => heights[type]));
    this.tree.style.setProperty("block-size", `${this.#offsets.height}px`);
    if (!this.#places.has(this.focusKey)) {
      this.focusKey = lines[0]?.key ?? "";
    }
    this.#mounted.invalidate();
    if (anchor) {
      this.scroller.scrollTop = this.#topOf(anchor.key) + anchor.distance;
    }
    this.render();
    if (hadFocus && !this.tree.contains(document.activeElement)) {
      this.focus();
    }
  }

  /** @param {ListContext} context */
  refresh(context) {
    this.#context = context;
    this.render();
  }

  /** @param {string} key */
  placeOf(key) {
    return this.#places.get(key) ?? -1;
  }

  /** How many lines of the usual height are in the window. */
  get pageSize() {
    const { first, last } = this.#window(0);
    return Math.max(1, last - first - 1);
  }

  /**
   * Scroll as little as possible to show the line; focus stays, unless the focus is in the list.
   *
   * @param {string} key
   * @param {ListContext} context
   */
  reveal(key, context) {
    this.#context = context;
    const index = this.placeOf(key);
    if (index === -1) {
      this.render();
      return;
    }
    const { scrollTop: top, clientHeight: height } = this.scroller;
    const hasFocus = this.tree.contains(document.activeElement);
    this.focusKey = key;
    this.scroller.scrollTop = this.#offsets.scrollTo(index, { top, height, margin: MARGIN });
    this.render();
    if (hasFocus) {
      this.focus();
    }
  }

  focus() {
    this.#mounted.elementOf(this.focusKey)?.focus({ preventScroll: true });
  }

  scrollToStart() {
    this.scroller.scrollTop = 0;
    this.render();
  }

  /** Return the wanted thumbnails: first of the window, then of its surroundings. */
  wantedThumbnails() {
    const { first, last } = this.#window(0);
    /** @type {string[]} */
    const seen = [];
    /** @type {string[]} */
    const near = [];
    for (const [key, view] of this.#mounted.list()) {
      const index = this.placeOf(key);
      if (view.thumbnailId) {
        (index >= first && index < last ? seen : near).push(view.thumbnailId);
      }
    }
    return [...new Set([...seen, ...near])];
  }

  /** @param {ReadonlySet<string>} ids */
  showThumbnails(ids) {
    for (const [, view] of this.#mounted.list()) {
      if (ids.has(view.thumbnailId)) {
        view.showThumbnail(this.#context?.thumbnail(view.thumbnailId));
      }
    }
  }

  /** Put the lines of the window into the page. */
  render() {
    const context = this.#context;
    if (!context) {
      return;
    }
    const wanted = this.#wantedLines();
    this.#mounted.keepOnly(new Set(wanted.keys()));
    let next = this.tree.firstElementChild;
    for (const [key, line] of wanted) {
      const element = this.#mounted.show(line, this.#placeFor(key), context);
      element.tabIndex = key === this.focusKey ? 0 : -1;
      if (element === next) {
        next = next.nextElementSibling;
      } else {
        this.tree.insertBefore(element, next);
      }
    }
    this.dispatchEvent(new Event("window"));
  }

  /** @param {string} key */
  #placeFor(key) {
    const index = this.placeOf(key);
    const top = this.#offsets.top(index);
    return { top, height: this.#offsets.top(index + 1) - top };
  }

  /** Return the lines to show by key, with the focused line, which must not lose focus. */
  #wantedLines() {
    const { first, last } = this.#window(OVERSCAN);
    const indexes = Array.from({ length: last - first }, (_, number) => first + number);
    const focused = this.placeOf(this.focusKey);
    if (focused !== -1 && (focused < first || focused >= last)) {
      indexes.push(focused);
      indexes.sort((one, other) => one - other);
    }
    const lines = indexes.flatMap((index) => this.lines[index] ?? []);
    return new Map(lines.map((line) => [line.key, line]));
  }

  /** @param {number} overscan */
  #window(overscan) {
    const { scrollTop, clientHeight } = this.scroller;
    return this.#offsets.between(scrollTop - overscan, scrollTop + clientHeight + overscan);
  }

  /**
   * Find the first line of the window that is also among the new lines.
   *
   * @param {readonly Line[]} lines
   */
  #findAnchor(lines) {
    const { scrollTop } = this.scroller;
    if (scrollTop === 0) {
      return null;
    }
    const keys = new Set(lines.map(({ key }) => key));
    const { first, last } = this.#window(0);
    const kept = this.lines.slice(first, last).find(({ key }) => keys.has(key));
    return kept ? { key: kept.key, distance: scrollTop - this.#topOf(kept.key) } : null;
  }

  /** @param {string} key */
  #topOf(key) {
    return this.#offsets.top(this.placeOf(key));
  }

  /** @param {FocusEvent} event */
  #keepFocus({ target }) {
    const line = target instanceof Element ? target.closest(".line") : null;
    const key = line instanceof HTMLElement ? line.dataset["key"] : undefined;
    if (key !== undefined && key !== this.focusKey) {
      const before = this.#mounted.elementOf(this.focusKey);
      if (before) {
        before.tabIndex = -1;
      }
      this.focusKey = key;
      if (line instanceof HTMLElement) {
        line.tabIndex = 0;
      }
    }
  }

  #resize() {
    const isHidden = this.scroller.clientHeight === 0;
    if (this.#isHidden && !isHidden) {
      this.dispatchEvent(new Event("shown"));
    }
    this.#isHidden = isHidden;
    this.#schedule();
  }

  // One rendering for each frame, however many events the wheel makes.
  #schedule() {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.render();
      });
    }
  }
}

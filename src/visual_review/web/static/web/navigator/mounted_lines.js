// The lines in the page. Their elements are used again for other lines.

/** @import { Line } from "./model/lines.js" */
/** @import { LineType } from "./lines/line_types.js" */
/** @import { LineView, ListContext } from "./lines/line_view.js" */

import { createLineView } from "./lines/line_types.js";

const MOST_SPARE = 40;

/**
 * A line in the page, with the last shown values.
 *
 * @typedef {{view: LineView, type: LineType, line: Line | null, context: ListContext | null}} MountedLine
 */

/** @typedef {{top: number, height: number}} Place In pixels. */

export class MountedLines {
  /** @type {Map<string, MountedLine>} */
  #mounted = new Map();
  /** @type {Map<LineType, LineView[]>} */
  #spare = new Map();

  /** @param {string} key */
  elementOf(key) {
    return this.#mounted.get(key)?.view.element;
  }

  /** @returns {[string, LineView][]} */
  list() {
    return [...this.#mounted].map(([key, { view }]) => [key, view]);
  }

  /** Write and place every line again. */
  invalidate() {
    for (const entry of this.#mounted.values()) {
      entry.context = null;
    }
  }

  /**
   * Return the element of a line, written again only if the line changed.
   *
   * @param {Line} line
   * @param {Place} place
   * @param {ListContext} context
   */
  show(line, place, context) {
    const entry = this.#mounted.get(line.key) ?? this.#mount(line);
    const { element } = entry.view;
    if (entry.line !== line || entry.context !== context) {
      Object.assign(entry, { line, context });
      element.style.setProperty("inset-block-start", `${place.top}px`);
      element.style.setProperty("block-size", `${place.height}px`);
      entry.view.update(line, context);
    }
    return element;
  }

  /**
   * Take the other lines out of the page.
   *
   * @param {ReadonlySet<string>} keys
   */
  keepOnly(keys) {
    for (const [key, { view, type }] of this.#mounted) {
      if (!keys.has(key)) {
        this.#mounted.delete(key);
        view.element.remove();
        this.#spareFor(type).push(view);
      }
    }
  }

  /** @param {Line} line */
  #mount({ key, type }) {
    const view = this.#spareFor(type).pop() ?? createLineView(type);
    /** @type {MountedLine} */
    const entry = { view, type, line: null, context: null };
    this.#mounted.set(key, entry);
    return entry;
  }

  /** @param {LineType} type */
  #spareFor(type) {
    const spare = this.#spare.get(type) ?? [];
    spare.length = Math.min(spare.length, MOST_SPARE);
    this.#spare.set(type, spare);
    return spare;
  }
}

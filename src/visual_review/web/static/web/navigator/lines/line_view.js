// Shared by all lines: their place, their name and their role in the tree.

/** @import { Snapshot } from "../../review/types.js" */
/** @import { Line } from "../model/lines.js" */
/** @import { Lookup } from "../model/lookup.js" */

import { createElement } from "../dom.js";

/**
 * The data that lines read.
 *
 * @typedef {object} ListContext
 * @property {Snapshot} snapshot
 * @property {Lookup} lookup
 * @property {boolean} isTree
 * @property {string | null} current
 * @property {ReadonlySet<string>} selection
 * @property {(id: string) => boolean} isUnseen Whether a part of the screenshot is still to be looked at.
 * @property {(id: string) => number} openThreads
 * @property {(id: string) => ImageBitmap | undefined} thumbnail
 */

/** An element that is used for one line after the other. @abstract */
export class LineView {
  element = createElement("div", "line");
  /** The screenshot of the shown thumbnail. */
  thumbnailId = "";

  /** @param {string} type */
  constructor(type) {
    this.element.classList.add(`line--${type}`);
    this.element.role = "treeitem";
    this.element.tabIndex = -1;
  }

  /**
   * @param {Line} line
   * @param {ListContext} context
   */
  update(line, context) {
    const { element } = this;
    element.dataset["key"] = line.key;
    element.ariaLevel = String(line.level);
    element.ariaPosInSet = String(line.position);
    element.ariaSetSize = String(line.setSize);
    element.ariaExpanded = line.isFolded === null ? null : String(!line.isFolded);
    element.style.setProperty("--level", String(line.level - 1));
    this.show(line, context);
  }

  /**
   * @param {Line} _line
   * @param {ListContext} _context
   */
  show(_line, _context) {
    throw new Error("Each type of line shows something else.");
  }

  /** @param {ImageBitmap | undefined} _bitmap */
  showThumbnail(_bitmap) {
    // Most lines have none.
  }

  /**
   * Mark the line as the one in the viewer, and as chosen.
   *
   * @param {readonly string[]} ids
   * @param {ListContext} context
   */
  mark(ids, { current, selection, isUnseen }) {
    const isCurrent = current !== null && ids.includes(current);
    const isChosen = ids.every((id) => selection.has(id));
    this.element.classList.toggle("line--unseen", ids.some(isUnseen));
    this.element.ariaCurrent = isCurrent ? "true" : null;
    this.element.ariaSelected = ids.length > 0 ? String(isChosen) : null;
  }
}

// Which of a screenshot's changes is the current one.

/** @import { Change, Point } from "./types.js" */

import { stepIndex } from "./change_list.js";
import { changeAt } from "./marks.js";

export class ChangeCursor {
  /** @type {readonly Change[]} */
  changes = [];
  /** -1 where there are no changes. */
  index = -1;

  /**
   * @param {readonly Change[]} changes
   * @param {boolean} isSame Whether they are of the same screenshot as before.
   */
  open(changes, isSame) {
    this.changes = changes;
    const kept = isSame ? Math.max(this.index, 0) : 0;
    this.index = Math.min(kept, changes.length - 1);
  }

  get current() {
    return this.changes[this.index];
  }

  /** @param {1 | -1} direction */
  step(direction) {
    this.index = stepIndex(this.index, this.changes.length, direction);
    return this.current;
  }

  /**
   * Choose the change at a point of the image.
   *
   * @param {Point} point
   * @param {number} reach
   * @returns {boolean} Whether it is another one than before.
   */
  chooseAt(point, reach) {
    const found = changeAt(this.changes, point, reach);
    if (found < 0 || found === this.index) {
      return false;
    }
    this.index = found;
    return true;
  }

  get position() {
    return { index: this.index, count: this.changes.length };
  }
}

// The current one of a screenshot's changes, and the way through parts not in view yet.

/** @import { Change, Point, Size, ViewerInput } from "./types.js" */
/** @import { CameraControl } from "./camera_control.js" */

import { visibleBox } from "./camera.js";
import { stepIndex } from "./change_list.js";
import { changeAt } from "./marks.js";
import { PartsInView, partsOf } from "./parts_in_view.js";

export class ChangeCursor {
  /** @type {readonly Change[]} */
  changes = [];
  /** -1 where there are no changes. */
  index = -1;
  #id = "";
  #control;
  #seen = new PartsInView();

  /** @param {CameraControl} control */
  constructor(control) {
    this.#control = control;
  }

  /**
   * @param {readonly Change[]} changes
   * @param {boolean} isSame Whether the changes are of the same screenshot as before.
   */
  open(changes, isSame) {
    this.changes = changes;
    const kept = isSame ? Math.max(this.index, 0) : 0;
    this.index = Math.min(kept, changes.length - 1);
  }

  get current() {
    return this.changes[this.index];
  }

  /**
   * Return the parts to see of a screenshot with images of this size.
   *
   * @param {ViewerInput} input
   * @param {Size} content
   */
  partsOf(input, content) {
    this.#id = input.id;
    this.#seen.open(input.id, partsOf(this.changes, input, content));
    return this.#seen.partsOf(input.id);
  }

  countSeen() {
    return this.#seen.count(this.#id);
  }

  /** Remember the visible parts; return whether one was not in view before. */
  look() {
    const { camera, isAtRest, view } = this.#control;
    return isAtRest && this.#seen.look(this.#id, visibleBox(camera, view), camera.zoom);
  }

  /**
   * Go to parts that were not in view yet, a screenful at a time; else to the next or the previous change.
   *
   * @param {1 | -1} direction
   * @returns {boolean} Whether there was anywhere to go.
   */
  step(direction) {
    const rests = direction > 0 ? this.#seen.restOf(this.#id) : [];
    if (rests.length > 0) {
      const shown = this.#control.goToRests(rests).map(({ part }) => part);
      const found = this.changes.findIndex((change) => shown.includes(change));
      this.index = found < 0 ? this.index : found;
      return true;
    }
    this.index = stepIndex(this.index, this.changes.length, direction);
    const change = this.current;
    if (change) {
      this.#control.goTo(change);
    }
    return change !== undefined;
  }

  /**
   * Choose the change at a point of the image.
   *
   * @param {Point} point
   * @param {number} reach
   * @returns {boolean} Whether the change is another one than before.
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

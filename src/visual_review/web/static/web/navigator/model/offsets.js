// The places of lines of different heights, and the lines in a window.

/** The sums of the heights before each line, and the whole height at the end. */
export class LineOffsets {
  /** @type {Float64Array} */
  #tops;

  /** @param {readonly number[]} heights */
  constructor(heights) {
    this.#tops = new Float64Array(heights.length + 1);
    heights.forEach((height, index) => {
      this.#tops[index + 1] = this.top(index) + height;
    });
  }

  get count() {
    return this.#tops.length - 1;
  }

  get height() {
    return this.top(this.count);
  }

  /** @param {number} index */
  top(index) {
    return this.#tops[index] ?? 0;
  }

  /** Return the index of the line at this height. @param {number} y */
  find(y) {
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * Return the lines between two heights, the last one excluded.
   *
   * @param {number} top
   * @param {number} bottom
   */
  between(top, bottom) {
    if (this.count === 0 || bottom <= 0 || top >= this.height) {
      return { first: 0, last: 0 };
    }
    return { first: this.find(Math.max(0, top)), last: this.find(bottom) + 1 };
  }

  /**
   * Return where to scroll so that a line is visible, or the current place if the line is visible.
   *
   * @param {number} index
   * @param {{top: number, height: number, margin: number}} shown
   */
  scrollTo(index, { top, height, margin }) {
    const start = this.top(index) - margin;
    const end = this.top(index + 1) + margin;
    if (start < top) {
      return Math.max(0, start);
    }
    return end > top + height ? Math.min(end, this.height) - height : top;
  }
}

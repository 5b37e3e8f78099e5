// One decoded image, with smaller copies for small scales. Why one bitmap and not tiles: see
// docs/explanation/design/review-page.md.

/** @import { Box, Point } from "./types.js" */

import { intersectionOf } from "./boxes.js";
import { cropTo, levelFor, placeImage, sizeAtLevel } from "./image_levels.js";

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */

export class DecodedImage {
  /** @type {(ImageBitmap | undefined)[]} */
  #levels;
  /** @type {Set<number>} */
  #begun = new Set();

  /** @param {ImageBitmap} bitmap */
  constructor(bitmap) {
    this.width = bitmap.width;
    this.height = bitmap.height;
    this.#levels = [bitmap];
  }

  /**
   * @param {Blob} blob
   * @returns {Promise<DecodedImage>}
   */
  static async decode(blob) {
    // Stored colors are compared, so profiles do not count.
    return new DecodedImage(await createImageBitmap(blob, { colorSpaceConversion: "none" }));
  }

  get pixels() {
    return this.width * this.height;
  }

  /**
   * Draw the visible part alone: enlarged images would otherwise be far larger than the canvas.
   *
   * @param {Context} context
   * @param {Point} origin Where the first pixel of the image is, in pixels of the canvas.
   * @param {number} scale
   * @param {Box} visible In pixels of the canvas.
   */
  draw(context, origin, scale, visible) {
    const bitmap = this.#levels[levelFor(scale)] ?? this.#levels[0];
    const place = placeImage(this, origin, scale);
    const part = intersectionOf(place, visible);
    if (bitmap && part) {
      const { from, to } = cropTo(bitmap, place, part);
      const source = /** @type {const} */ ([from.x, from.y, from.width, from.height]);
      context.drawImage(bitmap, ...source, to.x, to.y, to.width, to.height);
    }
  }

  /**
   * Whether `draw` at this scale would use the copy that is made for it.
   *
   * @param {number} scale
   */
  isPrepared(scale) {
    return this.#levels[levelFor(scale)] !== undefined;
  }

  /**
   * Make the smaller copy for a scale.
   *
   * @param {number} scale
   */
  async prepare(scale) {
    const level = levelFor(scale);
    const [bitmap] = this.#levels;
    if (!bitmap || this.#begun.has(level)) {
      return;
    }
    this.#begun.add(level);
    const { width, height } = sizeAtLevel(this, level);
    const copy = await createImageBitmap(bitmap, {
      resizeQuality: "medium",
      resizeWidth: width,
      resizeHeight: height,
    });
    if (this.#levels.length === 0) {
      copy.close();
    } else {
      this.#levels[level] = copy;
    }
  }

  close() {
    this.#levels.forEach((bitmap) => bitmap?.close());
    this.#levels = [];
  }
}

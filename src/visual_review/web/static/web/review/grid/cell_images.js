// Paint the images of cells that are in the window: a few at a time, each decoded for a moment only.

import { loadImage } from "../../viewer/image_loader.js";

/** @import { Box, ImageSource } from "../types.js" */

const MOST_AT_ONCE = 6;

/**
 * One painting: `box` of the image at `scale` on the canvas.
 *
 * @typedef {{canvas: HTMLCanvasElement, source: ImageSource, box: Box, scale: number}} Painting
 */

export class CellImages {
  /** @type {(() => Promise<void>)[]} */
  #waiting = [];
  #running = 0;
  #controller = new AbortController();

  /**
   * Paint all of these; rejects with ImageLoadError if one cannot be loaded. After closing, the
   * promise never settles.
   *
   * @param {readonly Painting[]} paintings
   */
  paint(paintings) {
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
    const fail = (/** @type {unknown} */ error) => {
      if (!this.#controller.signal.aborted) {
        reject(error);
      }
    };
    this.#waiting.push(() => this.#paintAll(paintings).then(resolve, fail));
    this.#next();
    return promise;
  }

  /** Stop, for good. */
  close() {
    this.#waiting = [];
    this.#controller.abort();
  }

  #next() {
    while (this.#running < MOST_AT_ONCE) {
      const work = this.#waiting.shift();
      if (!work) {
        return;
      }
      this.#running += 1;
      void work().finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
  }

  /** @param {readonly Painting[]} paintings */
  async #paintAll(paintings) {
    for (const { canvas, source, box, scale } of paintings) {
      const { width, height } = source;
      const image = await loadImage(source.url, { signal: this.#controller.signal, priority: "high", pixels: width * height });
      const ratio = devicePixelRatio || 1;
      canvas.width = Math.ceil(box.width * scale * ratio);
      canvas.height = Math.ceil(box.height * scale * ratio);
      const context = canvas.getContext("2d");
      if (context) {
        const zoom = scale * ratio;
        context.imageSmoothingEnabled = zoom < 2;
        context.imageSmoothingQuality = "high";
        image.draw(context, { x: -box.x * zoom, y: -box.y * zoom }, zoom, { x: 0, y: 0, width: canvas.width, height: canvas.height });
      }
      image.close();
    }
  }
}

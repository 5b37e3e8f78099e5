// The magnifier: the pixels around a point on both sides, and the color of the one in the middle.

/** @import { Point } from "./types.js" */
/** @import { DecodedImage } from "./decoded_image.js" */

import { describeColor, readPixel, toCss } from "./colors.js";
import { make, setText } from "./dom.js";

/** Pixels on a side of the magnified area; odd, for a pixel in the middle. */
const AREA = 11;
const ENLARGED = 9;

class Lens {
  #source = new OffscreenCanvas(AREA, AREA);
  #canvas = make("canvas", { width: `${AREA * ENLARGED}`, height: `${AREA * ENLARGED}` });
  #swatch = make("span", { class: "swatch" });
  #color = make("span", { class: "lens-color" });
  element;

  /** @param {string} name */
  constructor(name) {
    this.element = make(
      "div",
      { class: "lens" },
      make("span", { class: "lens-name" }, name),
      this.#canvas,
      make("span", { class: "lens-value" }, this.#swatch, this.#color),
    );
  }

  /**
   * @param {DecodedImage | null} image
   * @param {Point} pixel
   */
  render(image, pixel) {
    this.element.hidden = image === null;
    const small = this.#source.getContext("2d", { willReadFrequently: true });
    const large = this.#canvas.getContext("2d");
    if (!image || !small || !large) {
      return;
    }
    const reach = (AREA - 1) / 2;
    small.clearRect(0, 0, AREA, AREA);
    const area = { x: 0, y: 0, width: AREA, height: AREA };
    image.draw(small, { x: reach - pixel.x, y: reach - pixel.y }, 1, area);
    large.imageSmoothingEnabled = false;
    large.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    large.drawImage(this.#source, 0, 0, this.#canvas.width, this.#canvas.height);
    const isInside =
      pixel.x >= 0 && pixel.y >= 0 && pixel.x < image.width && pixel.y < image.height;
    const color = isInside ? readPixel(small.getImageData(0, 0, AREA, AREA), reach, reach) : null;
    this.#swatch.style.setProperty("background-color", toCss(color));
    setText(this.#color, describeColor(color));
  }
}

export class Magnifier {
  #before = new Lens("Before");
  #after = new Lens("After");
  #place = make("span", { class: "lens-place" });
  element = make(
    "div",
    { class: "magnifier", part: "magnifier", hidden: "" },
    make("div", { class: "lenses" }, this.#before.element, this.#after.element),
    this.#place,
  );

  /**
   * @param {{before: DecodedImage | null, after: DecodedImage | null}} images
   * @param {Point} point In pixels of the image.
   */
  render(images, point) {
    const pixel = { x: Math.floor(point.x), y: Math.floor(point.y) };
    this.#before.render(images.before, pixel);
    this.#after.render(images.after, pixel);
    setText(this.#place, `x ${pixel.x}, y ${pixel.y}`);
  }

  /**
   * Move next to the pointer, to the side where there is room.
   *
   * @param {Point} pointer In pixels of the stage.
   * @param {{width: number, height: number}} stage
   */
  moveTo(pointer, stage) {
    const distance = 24;
    const [width, height] = [this.element.offsetWidth, this.element.offsetHeight];
    const right = pointer.x + distance + width <= stage.width;
    const below = pointer.y + distance + height <= stage.height;
    const x = right ? pointer.x + distance : Math.max(0, pointer.x - distance - width);
    const y = below ? pointer.y + distance : Math.max(0, pointer.y - distance - height);
    this.element.style.setProperty("transform", `translate(${x}px, ${y}px)`);
  }
}

// A thumbnail, painted at once if the pixels are known, else a placeholder.

import { createElement } from "../dom.js";

export class ThumbnailView {
  element = createElement("span", "thumbnail");
  #icon = createElement("span");
  #canvas = createElement("canvas", "thumbnail__image");
  /** @type {ImageBitmap | undefined} */
  #shown;

  constructor() {
    this.element.ariaHidden = "true";
    this.element.append(this.#icon);
  }

  /**
   * Show a placeholder while there is no image.
   *
   * @param {string} icon
   */
  setPlaceholder(icon) {
    this.#icon.className = `icon icon--${icon}`;
  }

  /** @param {ImageBitmap | undefined} bitmap */
  show(bitmap) {
    if (bitmap === this.#shown) {
      return;
    }
    this.#shown = bitmap;
    // Never show the pixels of another screenshot under this name.
    this.#canvas.remove();
    if (bitmap && bitmap.width > 0) {
      this.#canvas.width = bitmap.width;
      this.#canvas.height = bitmap.height;
      this.#canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
      this.element.append(this.#canvas);
    }
  }
}

// The camera of one screenshot: where it is, what it follows, and how it moves there.

/** @import { Camera, Change, Point, Size, ViewerState } from "./types.js" */

import {
  between,
  clampCamera,
  edgesOf,
  panBy,
  stepZoom,
  zoomAt,
  zoomToAll,
} from "./camera.js";
import { prefersReducedMotion } from "./dom.js";
import { cameraAtTop, cameraFilledBy, moveToChange, openingCamera } from "./opening.js";

const MILLISECONDS = 160;

export class CameraControl {
  /** @type {Camera} */
  camera = { zoom: 1, x: 0, y: 0 };
  /** @type {Size} */
  view = { width: 0, height: 0 };
  /** @type {Size} */
  content = { width: 1, height: 1 };
  /** @type {ViewerState["fit"]} */
  fit = "change";
  /** @type {Change | undefined} */
  #worst;
  #frame = 0;

  /** @param {() => void} onMove Called after each movement that a person caused. */
  constructor(onMove) {
    this.onMove = onMove;
  }

  /**
   * @param {Size} content
   * @param {Change | undefined} worst
   * @param {Pick<ViewerState, "fit" | "zoom" | "x" | "y"> | null} place From a link.
   */
  open(content, worst, place) {
    cancelAnimationFrame(this.#frame);
    this.content = content;
    this.#worst = worst;
    this.fit = place?.fit ?? "change";
    this.camera = place ? { zoom: place.zoom, x: place.x, y: place.y } : this.camera;
    this.#follow();
  }

  /** @param {Size} view */
  resize(view) {
    if (view.width !== this.view.width || view.height !== this.view.height) {
      this.view = view;
      this.#follow();
    }
  }

  /**
   * @param {number} dx
   * @param {number} dy
   * @returns {boolean} Whether there was room to move.
   */
  pan(dx, dy) {
    return this.#jump(panBy(this.camera, dx, dy), this.fit === "width" ? "width" : "free");
  }

  /**
   * @param {Point} point In pixels of the view.
   * @param {number} factor
   */
  zoomBy(point, factor) {
    return this.#jump(zoomAt(this.camera, this.view, point, this.camera.zoom * factor), "free");
  }

  /** @param {1 | -1} direction */
  step(direction) {
    const zoom = stepZoom(this.camera.zoom, direction);
    this.#glide(zoomAt(this.camera, this.view, this.#middle(), zoom), "free");
  }

  showActualSize() {
    this.#glide(zoomAt(this.camera, this.view, this.#middle(), 1), "free");
  }

  /** @param {Point} point In pixels of the view. */
  enlargeAt(point) {
    const zoom = this.camera.zoom < 1 ? 1 : this.camera.zoom * 2;
    this.#glide(zoomAt(this.camera, this.view, point, zoom), "free");
  }

  fitWidth() {
    this.#glide(cameraAtTop(this.view, this.content, this.camera.y), "width");
  }

  /** @param {Change | undefined} change */
  fitChange(change) {
    const all = { zoom: zoomToAll(this.view, this.content), x: 0, y: 0 };
    this.#glide(change ? cameraFilledBy(this.view, this.content, change) : all, "free");
  }

  /** @param {Change} change */
  goTo(change) {
    this.#glide(moveToChange(this.camera, this.view, this.content, change), "free");
  }

  /** @param {Point} point In pixels of the image. */
  centerOn(point) {
    this.#jump({ ...this.camera, ...point }, this.fit === "width" ? "width" : "free");
  }

  get edges() {
    return edgesOf(this.camera, this.view, this.content);
  }

  #follow() {
    if (this.view.width <= 0 || this.view.height <= 0) {
      return;
    }
    if (this.fit === "change") {
      this.camera = openingCamera(this.view, this.content, this.#worst);
    } else if (this.fit === "width") {
      this.camera = cameraAtTop(this.view, this.content, this.camera.y);
    } else {
      this.camera = clampCamera(this.camera, this.view, this.content);
    }
  }

  #middle() {
    return { x: this.view.width / 2, y: this.view.height / 2 };
  }

  /**
   * @param {Camera} camera
   * @param {ViewerState["fit"]} fit
   */
  #jump(camera, fit) {
    cancelAnimationFrame(this.#frame);
    const next = clampCamera(camera, this.view, this.content);
    const { zoom, x, y } = this.camera;
    if (next.zoom === zoom && next.x === x && next.y === y) {
      return false;
    }
    this.camera = next;
    this.fit = fit;
    this.onMove();
    return true;
  }

  /**
   * Move there smoothly, so that the eye can follow.
   *
   * @param {Camera} target
   * @param {ViewerState["fit"]} fit
   */
  #glide(target, fit) {
    cancelAnimationFrame(this.#frame);
    const to = clampCamera(target, this.view, this.content);
    const from = this.camera;
    this.fit = fit;
    if (prefersReducedMotion()) {
      this.camera = to;
      this.onMove();
      return;
    }
    const begin = performance.now();
    const advance = () => {
      const part = Math.min((performance.now() - begin) / MILLISECONDS, 1);
      this.camera = between(from, to, part);
      this.onMove();
      if (part < 1) {
        this.#frame = requestAnimationFrame(advance);
      }
    };
    this.#frame = requestAnimationFrame(advance);
  }
}

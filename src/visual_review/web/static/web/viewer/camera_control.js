// The camera of one screenshot: its place, its target, and its movements.

/** @import { Camera, Change, Point, Size, ViewerState } from "./types.js" */
/** @import { Rest } from "./parts_in_view.js" */
/** @import { ZoomCommand } from "./zoom_select.js" */

import {
  between,
  clampCamera,
  edgesOf,
  panBy,
  stepZoom,
  visibleBox,
  zoomAt,
  zoomToAll,
} from "./camera.js";
import { prefersReducedMotion } from "./dom.js";
import { cameraAtTop, cameraFilledBy, cameraOfRests, moveToChange, openingCamera } from "./opening.js";
import { subtract } from "./parts_in_view.js";

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
  /** Whether the camera is at rest: no one sees content passing by. */
  isAtRest = true;
  /** @type {readonly Rest[]} */
  #parts = [];
  /** @type {Camera | null} */
  #target = null;
  #frame = 0;

  /** @param {() => void} onMove Called after each movement that a person caused. */
  constructor(onMove) {
    this.onMove = onMove;
  }

  /**
   * @param {Size} content
   * @param {readonly Rest[]} parts The parts to see, the worst first.
   * @param {Pick<ViewerState, "fit" | "zoom" | "x" | "y"> | null} place From a link.
   */
  open(content, parts, place) {
    this.#stop();
    this.content = content;
    this.#parts = parts;
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

  /**
   * @param {ZoomCommand} command
   * @param {Change | undefined} change
   */
  zoom(command, change) {
    const commands = {
      in: () => this.step(1),
      out: () => this.step(-1),
      width: () => this.fitWidth(),
      change: () => this.fitChange(change),
      100: () => this.showActualSize(),
    };
    commands[command]();
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

  /**
   * Go on to the parts that are left to see.
   *
   * @param {readonly Rest[]} rests At least one.
   * @returns {readonly Rest[]} The parts that come into view.
   */
  goToRests(rests) {
    const camera = cameraOfRests(this.view, this.content, rests);
    const visible = visibleBox(camera, this.view);
    this.#glide(camera, "free");
    return rests.filter(({ boxes }) => boxes.some((box) => subtract(box, visible)[0] !== box));
  }

  /** Be where a movement leads. */
  finish() {
    if (!this.isAtRest && this.#target) {
      this.#stop();
      this.camera = this.#target;
      this.onMove();
    }
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
      this.camera = openingCamera(this.view, this.content, this.#parts);
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
    this.#stop();
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
   * Move smoothly, so that the eye can follow.
   *
   * @param {Camera} target
   * @param {ViewerState["fit"]} fit
   */
  #glide(target, fit) {
    this.#stop();
    const to = clampCamera(target, this.view, this.content);
    const from = this.camera;
    this.fit = fit;
    this.#target = to;
    if (prefersReducedMotion()) {
      this.camera = to;
      this.onMove();
      return;
    }
    const begin = performance.now();
    this.isAtRest = false;
    const advance = () => {
      const part = Math.min((performance.now() - begin) / MILLISECONDS, 1);
      this.camera = between(from, to, part);
      this.isAtRest = part >= 1;
      this.onMove();
      if (part < 1) {
        this.#frame = requestAnimationFrame(advance);
      }
    };
    this.#frame = requestAnimationFrame(advance);
  }

  #stop() {
    cancelAnimationFrame(this.#frame);
    this.isAtRest = true;
  }
}

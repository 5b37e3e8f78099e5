// The map of a tall image: where the view is and where changes are; click, drag or use keys.

/** @import { Camera, Change, Point, Size } from "./types.js" */
/** @import { DecodedImage } from "./decoded_image.js" */

import { make, setAll } from "./dom.js";
import { describeRows, imagePointOf, marksOnMap, visibleOnMap, widthOfMap } from "./minimap_geometry.js";

/**
 * @typedef {object} MapScene
 * @property {DecodedImage | null} image
 * @property {Size} content
 * @property {Camera} camera
 * @property {Size} view
 * @property {readonly Change[]} changes
 * @property {number} current
 * @property {number} ratio
 */

export class Minimap {
  #canvas = make("canvas", { "aria-hidden": "true" });
  #marks = make("div", { class: "map-marks", "aria-hidden": "true" });
  #visible = make("div", { class: "map-visible", "aria-hidden": "true" });
  element = make(
    "div",
    {
      class: "minimap",
      part: "minimap",
      role: "slider",
      tabindex: "0",
      "aria-label": "Position in the image",
      "aria-orientation": "vertical",
      hidden: "",
    },
    this.#canvas,
    this.#marks,
    this.#visible,
  );
  /** @type {MapScene | null} */
  #scene = null;
  #key = "";
  /** @type {readonly Change[] | null} */
  #painted = null;

  /**
   * @param {(point: Point) => void} onPlace Called with the point of the image to go to.
   * @param {() => void} onSharper Called when drawing again is worthwhile.
   */
  constructor(onPlace, onSharper) {
    this.onPlace = onPlace;
    this.onSharper = onSharper;
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.#place(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) {
        this.#place(event);
      }
    });
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {MapScene} scene */
  render(scene) {
    this.#scene = scene;
    const map = this.#size();
    this.element.style.setProperty("inline-size", `${map.width}px`);
    this.#paint(scene, map);
    const box = visibleOnMap(scene.camera, scene.view, scene.content, map);
    place(this.#visible, box);
    setAll(this.element, {
      "aria-valuemin": 0,
      "aria-valuemax": scene.content.height,
      "aria-valuenow": Math.round(scene.camera.y),
      "aria-valuetext": describeRows(scene.camera, scene.view, scene.content),
    });
  }

  /**
   * Paint image and marks anew only after a change of them: panning moves the frame alone.
   *
   * @param {MapScene} scene
   * @param {Size} map
   */
  #paint(scene, map) {
    const scale = (map.height / scene.content.height) * scene.ratio;
    const isSharp = scene.image?.isPrepared(scale) ?? false;
    const { width, height } = scene.content;
    const key = [width, height, map.height, Boolean(scene.image), isSharp, scene.current].join();
    if (key === this.#key && this.#painted === scene.changes) {
      return;
    }
    this.#key = key;
    this.#painted = scene.changes;
    if (scene.image && !isSharp) {
      void scene.image.prepare(scale).then(this.onSharper);
    }
    this.#canvas.width = Math.round(map.width * scene.ratio);
    this.#canvas.height = Math.round(map.height * scene.ratio);
    const context = this.#canvas.getContext("2d");
    if (context && scene.image) {
      context.scale(((map.width / scene.content.width) * scene.ratio) / scale, 1);
      const all = { x: 0, y: 0, width: Infinity, height: this.#canvas.height };
      scene.image.draw(context, { x: 0, y: 0 }, scale, all);
    }
    const boxes = marksOnMap(scene.changes, scene.content, map);
    this.#marks.replaceChildren(
      ...boxes.map((box, index) => {
        const moved = scene.changes[index]?.movedBy ? " map-moved" : "";
        const current = index === scene.current ? " map-current" : "";
        return place(make("div", { class: `map-mark${moved}${current}` }), box);
      }),
    );
  }

  /** @returns {Size} */
  #size() {
    const height = this.element.clientHeight;
    const room = this.element.parentElement?.clientWidth ?? 0;
    const content = this.#scene?.content ?? { width: 1, height: 1 };
    return { width: widthOfMap(content, height, room), height: Math.max(height, 1) };
  }

  /** @param {PointerEvent} event */
  #place(event) {
    const frame = this.element.getBoundingClientRect();
    const point = { x: event.clientX - frame.x, y: event.clientY - frame.y };
    if (this.#scene) {
      this.onPlace(imagePointOf(point, this.#scene.content, this.#size()));
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const scene = this.#scene;
    if (!scene || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const page = scene.view.height / scene.camera.zoom;
    const targets = new Map([
      ["ArrowUp", scene.camera.y - page / 8],
      ["ArrowDown", scene.camera.y + page / 8],
      ["PageUp", scene.camera.y - page],
      ["PageDown", scene.camera.y + page],
      ["Home", 0],
      ["End", scene.content.height],
    ]);
    const y = targets.get(event.key);
    if (y !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.onPlace({ x: scene.camera.x, y });
    }
  }
}

/**
 * @param {HTMLElement} element
 * @param {import("./types.js").Box} box
 */
function place(element, box) {
  element.style.setProperty("transform", `translate(${box.x}px, ${box.y}px)`);
  element.style.setProperty("inline-size", `${box.width}px`);
  element.style.setProperty("block-size", `${box.height}px`);
  return element;
}

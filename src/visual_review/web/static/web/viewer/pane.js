// One pane: the painted image and outlines, or a sentence without an image; below, the title and
// size.

/** @import { Camera, Change, Pin, Side, Size, ViewerInput } from "./types.js" */
/** @import { PanePlan } from "./pane_layout.js" */
/** @import { Entry } from "./image_store.js" */
/** @import { Palette } from "./painter.js" */

import { originInView } from "./camera.js";
import { make, setText } from "./dom.js";
import { Outlines } from "./outlines.js";
import { describeSizes, haveSizesChanged } from "./pane_layout.js";
import { paint } from "./painter.js";
import { Pins } from "./pins.js";

/**
 * The data of a pane, apart from the pane's own plan.
 *
 * @typedef {object} Scene
 * @property {ViewerInput} input
 * @property {readonly Change[]} changes
 * @property {number} current
 * @property {Camera} camera
 * @property {Size} size Of each pane's view.
 * @property {number} ratio
 * @property {number} opacity
 * @property {number} divider
 * @property {boolean} highlights
 * @property {Palette} palette
 * @property {(side: Side) => Entry | undefined} entryOf
 */

/** @type {readonly Pin[]} */
const NO_PINS = [];

export class Pane {
  #name = make("span", { class: "pane-name" });
  #size = make("span", { class: "pane-size" });
  #canvas = make("canvas");
  #outlines = new Outlines();
  #pins = new Pins();
  #text = make("p", { class: "notice-text" });
  #retry = make("button", { type: "button", class: "retry" }, "Try again");
  #notice = make("div", { class: "notice", hidden: "" }, this.#text, this.#retry);
  view = make("div", { class: "view" }, this.#canvas, this.#outlines.element, this.#pins.element, this.#notice);
  element = make(
    "div",
    { class: "pane", part: "pane" },
    this.view,
    make("div", { class: "pane-title" }, this.#name, this.#size),
  );
  /** @type {Side[]} */
  #failed = [];

  /** @param {(sides: Side[]) => void} onRetry */
  constructor(onRetry) {
    this.#retry.addEventListener("click", () => onRetry(this.#failed));
  }

  /**
   * @param {PanePlan} plan
   * @param {Scene} scene
   */
  render(plan, scene) {
    setText(this.#name, plan.title);
    setText(this.#size, describeSizes(scene.input, plan.sides));
    this.#size.classList.toggle("differs", haveSizesChanged(scene.input));
    this.#paint(plan, scene);
    this.#outline(plan, scene);
    this.#notify(plan, scene);
  }

  /**
   * @param {PanePlan} plan
   * @param {Scene} scene
   */
  #paint(plan, scene) {
    const layers = plan.sides.flatMap((side) => {
      const source = scene.input[side];
      return source ? [{ source, entry: scene.entryOf(side) }] : [];
    });
    paint(this.#canvas, { ...scene, plan, layers });
  }

  /**
   * @param {PanePlan} plan
   * @param {Scene} scene
   */
  #outline(plan, scene) {
    this.#outlines.element.classList.toggle("hidden", !scene.highlights);
    this.#outlines.update({
      changes: scene.changes,
      regions: scene.input.regions,
      side: plan.marks,
      current: scene.current,
      zoom: scene.camera.zoom,
      origin: originInView(scene.camera, scene.size, scene.ratio),
    });
    // Of two panes, the commented one.
    const hasPins = plan.sides.length > 0 && (plan.marks !== "before" || scene.input.after === null);
    this.#pins.update(hasPins ? (scene.input.pins ?? NO_PINS) : NO_PINS, scene.camera.zoom, originInView(scene.camera, scene.size, scene.ratio));
  }

  /**
   * Say that an image is loading or could not be loaded: an empty pane must not look fine.
   *
   * @param {PanePlan} plan
   * @param {Scene} scene
   */
  #notify(plan, scene) {
    const entries = plan.sides.map((side) => ({ side, entry: scene.entryOf(side) }));
    const failures = entries.filter(({ entry }) => entry?.status === "failed");
    const isLoading = entries.some(({ entry }) => !entry || entry.status === "loading");
    this.#failed = failures.map(({ side }) => side);
    this.#retry.hidden = failures.length === 0;
    const text = failures[0]
      ? `${nameSide(failures[0].side, entries.length)}${failures[0].entry?.error}`
      : textWithout(plan, scene.input, isLoading);
    setText(this.#text, text);
    this.#notice.hidden = text === "";
    this.#notice.classList.toggle("loading", failures.length === 0 && isLoading);
    this.element.toggleAttribute("aria-busy", isLoading);
  }
}

/**
 * @param {Side} side
 * @param {number} count
 */
function nameSide(side, count) {
  return count > 1 ? `${side === "before" ? "Before" : "After"}: ` : "";
}

/**
 * @param {PanePlan} plan
 * @param {ViewerInput} input
 * @param {boolean} isLoading
 */
function textWithout(plan, input, isLoading) {
  if (plan.sides.length > 0) {
    return isLoading ? "Loading the image…" : "";
  }
  if (input.message) {
    return input.message;
  }
  return input.state === "pending"
    ? "This screenshot has not been compared yet."
    : "There is no image of this screenshot.";
}

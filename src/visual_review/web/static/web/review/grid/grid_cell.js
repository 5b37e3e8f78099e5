// One member in the grid: its change before and after, and whether it is decided with the rest.

import { ImageLoadError } from "../../viewer/image_loader.js";
import { describeDecider } from "../sentences.js";
import { element, isolated, setAttribute, setText } from "../dom.js";
import { frameOf } from "./grid_plan.js";

/** @import { CellImages, Painting } from "./cell_images.js" */
/** @import { GridPlan } from "./grid_plan.js" */
/** @import { Details, Screenshot } from "../types.js" */

export class GridCell {
  id;
  /** Members of a group are shown at one scale. */
  group;
  isTakenOut = false;
  /** Whether all that changed was painted in the cell. */
  isSeen = false;
  #before = element("canvas", { class: "grid-cell__image", "data-side": "before" });
  #after = element("canvas", { class: "grid-cell__image", "data-side": "after" });
  #note = element("span", { class: "grid-cell__note" });
  #images = element("span", { class: "grid-cell__images", "aria-hidden": "true" }, this.#before, this.#after);
  #isBegun = false;

  /** @param {Screenshot} screenshot */
  constructor(screenshot) {
    const { id, title, theme, device, decision, decidedBy, carriedOver } = screenshot;
    this.id = id;
    this.group = screenshot.groupId ?? screenshot.storyId;
    const name = title.split("/").at(-1) ?? title;
    const decided = decision ? describeDecider(decision, decidedBy, carriedOver) : "";
    this.element = element(
      "li",
      { class: "grid-cell", role: "option", tabindex: "-1", "data-id": id, title },
      this.#images,
      element("span", { class: "grid-cell__name" }, isolated(name), element("span", { class: "muted" }, ` ${theme}, ${device}`)),
      decided && element("span", { class: "grid-cell__note" }, decided),
      this.#note,
    );
    // A rejection is not overridden in passing.
    this.takeOut(decision === "rejected");
  }

  /** The room for images, in pixels of the screen. */
  get width() {
    return this.#images.clientWidth;
  }

  /** @param {boolean} isTakenOut */
  takeOut(isTakenOut) {
    this.isTakenOut = isTakenOut;
    setAttribute(this.element, "aria-selected", String(!isTakenOut));
  }

  /**
   * Keep the place of the images free, so that nothing moves when the images arrive.
   *
   * @param {GridPlan} plan
   */
  arrange({ side, isStacked }) {
    this.#images.classList.toggle("grid-cell__images--stacked", isStacked);
    for (const canvas of [this.#before, this.#after]) {
      canvas.style.setProperty("inline-size", `${side.width}px`);
      canvas.style.setProperty("block-size", `${side.height}px`);
    }
  }

  /**
   * Paint the images once; a failure is said in the cell, and the member counts as not seen.
   *
   * @param {Details} details
   * @param {GridPlan} plan
   * @param {CellImages} images
   */
  async paint(details, plan, images) {
    if (this.#isBegun) {
      return;
    }
    this.#isBegun = true;
    const { box, isComplete } = frameOf(details, plan);
    const { before, after } = details.images;
    this.#before.hidden = before === null;
    this.#after.hidden = after === null;
    /** @type {Painting[]} */
    const paintings = [];
    for (const [canvas, source] of /** @type {const} */ ([[this.#before, before], [this.#after, after]])) {
      if (source) {
        paintings.push({ canvas, source, box, scale: plan.scale });
      }
    }
    try {
      await images.paint(paintings);
      this.isSeen ||= isComplete && paintings.length > 0;
      this.#say(isComplete ? "" : "In part, or too small to read: Enter shows it");
    } catch (error) {
      if (!(error instanceof ImageLoadError)) {
        throw error;
      }
      this.#say(error.message);
    }
    this.element.dataset["painted"] = String(this.isSeen);
  }

  /** Free the memory; seen changes stay seen. */
  clear() {
    this.#isBegun = false;
    this.#before.width = 0;
    this.#after.width = 0;
  }

  /** @param {string} text */
  #say(text) {
    setText(this.#note, text);
  }
}

// Draw the dynamic regions of a story variant on its image: by pointer or by keys.

import { contentSize } from "../../viewer/change_list.js";
import { ask } from "../dialog.js";
import { element, setText } from "../dom.js";
import { MOST_REGIONS, between, describeEffect, isSlip, move, resize } from "./region_model.js";

/** @import { Box, Details, Screenshot } from "../types.js" */

/** In pixels of the image, for each press of an arrow key. */
const STEP = 8;
/** @type {Readonly<Record<string, [number, number]>>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** A new region by key, in fractions of the image. */
const NEW = { x: 0.35, y: 0.35, width: 0.3, height: 0.1 };

/** @typedef {{regions: Box[], variants: Screenshot[]}} ChosenRegions */

class RegionEditor {
  #details;
  #size;
  /** @type {Box[]} */
  regions;
  #effect = element("p", { role: "status", class: "region-editor__effect" });
  #place = element("div", { class: "region-editor__place" });
  /** @type {{x: number, y: number, index: number, isCorner: boolean} | null} */
  #drag = null;

  /** @param {Details} details */
  constructor(details) {
    this.#details = details;
    this.#size = contentSize(details.images);
    this.regions = details.ownRegions.regions.map((region) => ({ ...region }));
    this.#place.style.setProperty("aspect-ratio", `${this.#size.width} / ${this.#size.height}`);
    this.#place.style.setProperty("max-inline-size", `${this.#size.width}px`);
    const source = details.images.after ?? details.images.before;
    const image = element("img", { alt: "", src: source?.url ?? "", class: "region-editor__image" });
    // Regions are parts of both sides laid on top of each other, and one side may be smaller.
    const { width = 0, height = 0 } = source ?? {};
    image.style.setProperty("inline-size", `${(100 * width) / this.#size.width}%`);
    image.style.setProperty("block-size", `${(100 * height) / this.#size.height}%`);
    image.addEventListener("error", () => image.replaceWith(element("p", {}, "The image is not in the storage any more. Regions can be moved and deleted all the same.")));
    this.#place.append(image);
    this.#place.addEventListener("pointerdown", (event) => this.#press(event));
    this.#place.addEventListener("pointermove", (event) => this.#move(event));
    this.#place.addEventListener("pointerup", () => this.#release());
    const add = element("button", { type: "button", class: "button button--small" }, "Add a region");
    add.addEventListener("click", () => this.#add(NEW));
    this.element = element(
      "div",
      { class: "region-editor" },
      element("p", { class: "muted small" }, "Drag to draw. Arrow keys move a region, with Shift they resize it, Delete removes it."),
      element("div", { class: "region-editor__scroller" }, this.#place),
      element("div", { class: "region-editor__foot" }, add, this.#effect),
    );
    this.#render();
  }

  /** @param {Box} region */
  #add(region) {
    if (this.regions.length >= MOST_REGIONS) {
      setText(this.#effect, `A variant has at most ${MOST_REGIONS} regions. A story that needs more is better fixed.`);
      return;
    }
    this.regions.push({ ...region });
    this.#render(this.regions.length - 1);
  }

  /** @param {number} [focused] */
  #render(focused) {
    this.#place.querySelectorAll(".region").forEach((each) => each.remove());
    this.regions.forEach((region, index) => this.#place.append(this.#createRegion(region, index)));
    setText(this.#effect, describeEffect(this.#details.changes, this.regions, this.#size));
    if (focused !== undefined) {
      /** @type {HTMLElement | null} */ (this.#place.querySelector(`[data-index="${focused}"]`))?.focus();
    }
  }

  /**
   * @param {Box} region
   * @param {number} index
   */
  #createRegion(region, index) {
    const corner = element("span", { class: "region__corner" });
    const label = `Region ${index + 1} of ${this.regions.length}, ${this.#describe(region)}`;
    const made = element("div", { class: "region", role: "button", tabindex: "0", "aria-label": label, "data-index": index }, corner);
    for (const [name, value] of Object.entries({ left: region.x, top: region.y, width: region.width, height: region.height })) {
      made.style.setProperty(name, `${value * 100}%`);
    }
    made.addEventListener("keydown", (event) => this.#key(event, index));
    return made;
  }

  /** @param {Box} region */
  #describe({ x, y, width, height }) {
    const [left, top] = [Math.round(x * this.#size.width), Math.round(y * this.#size.height)];
    return `${Math.round(width * this.#size.width)} × ${Math.round(height * this.#size.height)} px at ${left}, ${top}`;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  #key(event, index) {
    const arrow = ARROWS[event.key];
    const region = this.regions[index];
    if (!region || (!arrow && event.key !== "Delete" && event.key !== "Backspace")) {
      return;
    }
    event.preventDefault();
    if (!arrow) {
      this.regions.splice(index, 1);
      this.#render(Math.max(0, index - 1));
      return;
    }
    const [dx, dy] = [(arrow[0] * STEP) / this.#size.width, (arrow[1] * STEP) / this.#size.height];
    this.regions[index] = event.shiftKey ? resize(region, dx, dy, this.#size) : move(region, dx, dy);
    this.#render(index);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const target = event.target instanceof Element ? event.target.closest(".region") : null;
    const at = this.#pointOf(event);
    const index = target instanceof HTMLElement ? Number(target.dataset["index"]) : this.regions.length;
    if (index >= MOST_REGIONS) {
      this.#add(NEW);
      return;
    }
    if (!target) {
      this.regions.push({ ...at, width: 0, height: 0 });
    }
    const isCorner = !target || (event.target instanceof Element && event.target.matches(".region__corner"));
    this.#drag = { ...at, index, isCorner };
    this.#place.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const region = this.#drag && this.regions[this.#drag.index];
    if (!this.#drag || !region) {
      return;
    }
    const { index, isCorner } = this.#drag;
    const at = this.#pointOf(event);
    if (isCorner) {
      this.regions[index] = between({ x: region.x, y: region.y }, at);
    } else {
      this.regions[index] = move(region, at.x - this.#drag.x, at.y - this.#drag.y);
      this.#drag = { ...this.#drag, ...at };
    }
    this.#render();
  }

  #release() {
    if (this.#drag) {
      const { index } = this.#drag;
      this.#drag = null;
      const region = this.regions[index];
      if (region && isSlip(region, this.#size)) {
        this.regions.splice(index, 1);
      }
      this.#render(Math.min(index, this.regions.length - 1));
    }
  }

  /** @param {PointerEvent} event */
  #pointOf(event) {
    const frame = this.#place.getBoundingClientRect();
    return { x: (event.clientX - frame.x) / frame.width, y: (event.clientY - frame.y) / frame.height };
  }
}

/**
 * Let a person set the regions; null where nothing is to be saved.
 *
 * @param {string} title
 * @param {Details} details
 * @param {readonly Screenshot[]} others Other variants of the story, possible targets of the same regions.
 * @returns {Promise<ChosenRegions | null>}
 */
export function askForRegions(title, details, others) {
  const editor = new RegionEditor(details);
  const { by, at } = details.ownRegions;
  const setBy = at ? `Set${by ? ` by ${by}` : ""} on ${new Date(at).toLocaleDateString()}. ` : "";
  const boxes = others.map((screenshot) => {
    const box = element("input", { type: "checkbox" });
    return { screenshot, box, label: element("label", { class: "dialog__check" }, box, `${screenshot.theme}, ${screenshot.device}`) };
  });
  const copies = element("fieldset", { class: "region-editor__copies", hidden: others.length === 0 }, element("legend", {}, "Also for, in place of theirs"), ...boxes.map(({ label }) => label));
  return ask({
    title,
    name: "regions",
    body: [element("p", { class: "muted small" }, `${setBy}Differences inside of a region are not compared, in this build and in later ones.`), editor.element, copies],
    choices: [
      {
        label: "Save regions",
        look: "primary",
        value: () => ({ regions: editor.regions, variants: boxes.filter(({ box }) => box.checked).map(({ screenshot }) => screenshot) }),
      },
      { label: "Cancel", value: () => null },
    ],
  });
}

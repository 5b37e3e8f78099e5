// Which parts of a screenshot have been in view, legible, and which are left.

/** @import { Box, Change, Size, ViewerInput } from "./types.js" */

import { earlierBox } from "./change_list.js";

/** Text is legible from this zoom on; other changes are visible from the other zoom on. */
export const LEGIBLE_TEXT = 0.5;
export const LEGIBLE = 0.3;
/** A smaller part is enlarged until its longer side has so many pixels of the screen. */
const LEAST_PIXELS = 8;
/** Less than a pixel of the image is nothing. */
const NOTHING = 1;

/** @typedef {{part: Change, zoom: number, boxes: Box[]}} Rest The boxes of a part that are not seen yet. */

/**
 * Return the parts of a screenshot that a person has to see: its changes, or the whole image.
 *
 * @param {readonly Change[]} changes
 * @param {ViewerInput} input
 * @param {Size} content
 * @returns {readonly Change[]}
 */
export function partsOf(changes, input, content) {
  if (changes.length > 0 || (input.state !== "new" && input.state !== "removed")) {
    return changes;
  }
  return [{ x: 0, y: 0, ...content, kind: "pixels", pixels: 0, description: "" }];
}

/** @param {Change} part */
export function legibleZoom(part) {
  const legible = part.kind === "text" || part.contrast ? LEGIBLE_TEXT : LEGIBLE;
  return Math.max(legible, Math.min(1, LEAST_PIXELS / Math.max(part.width, part.height)));
}

/** The parts that have been in view, of every screenshot that was opened. */
export class PartsInView {
  /** @type {Map<string, Rest[]>} */
  #rests = new Map();

  /**
   * Begin with a screenshot, or continue if its parts are the same as before.
   *
   * @param {string} id
   * @param {readonly Change[]} parts
   */
  open(id, parts) {
    const before = this.#rests.get(id);
    const isSame = before !== undefined && before.length === parts.length && parts.every((part, at) => isSameBox(part, before[at]?.part));
    const rests = parts.map((part, at) => ({ part, zoom: legibleZoom(part), boxes: (isSame && before[at]?.boxes) || boxesOf(part) }));
    this.#rests.set(id, rests);
  }

  /**
   * Remember a visible box of the image.
   *
   * @param {string} id
   * @param {Box} visible
   * @param {number} zoom
   * @returns {boolean} Whether a part of the box was not seen before.
   */
  look(id, visible, zoom) {
    let isNew = false;
    for (const rest of this.#rests.get(id) ?? []) {
      if (rest.boxes.length > 0 && zoom >= rest.zoom * 0.999) {
        const left = rest.boxes.flatMap((box) => subtract(box, visible));
        isNew ||= areaOf(left) < areaOf(rest.boxes);
        rest.boxes = left;
      }
    }
    return isNew;
  }

  /** Return all parts of a screenshot to be seen. @param {string} id */
  partsOf(id) {
    return (this.#rests.get(id) ?? []).map((rest) => ({ ...rest, boxes: boxesOf(rest.part) }));
  }

  /** Return the unseen parts of a screenshot. @param {string} id */
  restOf(id) {
    return (this.#rests.get(id) ?? []).filter(({ boxes }) => boxes.length > 0);
  }

  /** @param {string} id */
  count(id) {
    const total = this.#rests.get(id)?.length ?? 0;
    return { seen: total - this.restOf(id).length, total };
  }
}

/** Of moved content, both places are to be seen. @param {Change} part */
function boxesOf(part) {
  return part.movedBy ? [part, earlierBox(part)] : [part];
}

/**
 * Return the parts of a box outside another one.
 *
 * @param {Box} box
 * @param {Box} by
 * @returns {Box[]}
 */
export function subtract(box, by) {
  const [left, top] = [Math.max(box.x, by.x), Math.max(box.y, by.y)];
  const right = Math.min(box.x + box.width, by.x + by.width);
  const bottom = Math.min(box.y + box.height, by.y + by.height);
  if (right <= left || bottom <= top) {
    return [box];
  }
  const around = [
    { x: box.x, y: box.y, width: box.width, height: top - box.y },
    { x: box.x, y: bottom, width: box.width, height: box.y + box.height - bottom },
    { x: box.x, y: top, width: left - box.x, height: bottom - top },
    { x: right, y: top, width: box.x + box.width - right, height: bottom - top },
  ];
  return around.filter(({ width, height }) => width >= NOTHING && height >= NOTHING);
}

/** @param {readonly Box[]} boxes */
export function areaOf(boxes) {
  return boxes.reduce((sum, { width, height }) => sum + width * height, 0);
}

/**
 * @param {Box} one
 * @param {Box | undefined} other
 */
function isSameBox(one, other) {
  return one.x === other?.x && one.y === other.y && one.width === other.width && one.height === other.height;
}

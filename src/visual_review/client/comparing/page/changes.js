"use strict";

// One changed area in pixels of the compared area; moved content is at its new place.
/** @typedef {{kind: string, x: number, y: number, width: number, height: number, pixels: number,
 *   description: string, movedBy?: {x: number, y: number},
 *   colors?: {before: string, after: string},
 *   contrast?: {before: number, after: number}}} Change */

/** @typedef {"before" | "after" | "union"} Side */

/**
 * Draw a frame around every change, in fractions of an image of this size.
 * @param {HTMLElement} frame
 * @param {Change[]} changes
 * @param {Side} side
 * @param {number} width
 * @param {number} height
 */
function addOutlines(frame, changes, side, width, height) {
  changes.forEach((change, index) => {
    const [x, y] = placeOf(change, side);
    const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
    const [right, bottom] = [Math.min(x + change.width, width), Math.min(y + change.height, height)];
    if (left >= right || top >= bottom) {
      return;
    }
    const box = element("span", { class: `outline ${change.kind}`, "data-change": String(index) });
    box.style.left = `${(left / width) * 100}%`;
    box.style.top = `${(top / height) * 100}%`;
    box.style.width = `${((right - left) / width) * 100}%`;
    box.style.height = `${((bottom - top) / height) * 100}%`;
    frame.append(box);
  });
}

/**
 * Return the place of the change on a side: moved content was elsewhere before.
 * @param {Change} change
 * @param {Side} side
 */
function placeOf(change, side) {
  const by = side === "before" && change.movedBy ? change.movedBy : { x: 0, y: 0 };
  return [change.x - by.x, change.y - by.y];
}

/**
 * @param {Change} change
 * @param {number} index
 * @param {(index: number) => void} choose
 */
function makeChangeItem(change, index, choose) {
  const button = element(
    "button",
    { type: "button", "data-change": String(index) },
    element("span", { class: `kind ${change.kind}` }, nameKind(change)),
    change.description,
    ...describeColors(change),
    element("span", { class: "muted" }, ` ${describePlace(change)}`),
  );
  button.addEventListener("click", () => choose(index));
  return element("li", {}, button);
}

/**
 * Return the kind, unless part of the description.
 * @param {Change} change
 */
function nameKind(change) {
  return change.description.includes(change.kind) ? "" : `${change.kind} `;
}

/** @param {Change} change */
function describePlace(change) {
  const parts = [`${change.width} × ${change.height} at ${change.x},${change.y}`];
  if (change.contrast) {
    const { before, after } = change.contrast;
    parts.push(`contrast ${before.toFixed(1)} to ${after.toFixed(1)}`);
  }
  return parts.join(", ");
}

/** @param {Change} change */
function describeColors(change) {
  if (!change.colors) {
    return [];
  }
  const { before, after } = change.colors;
  return [" ", makeSwatch(before), " to ", makeSwatch(after)];
}

/** @param {string} color */
function makeSwatch(color) {
  const swatch = element("span", { class: "swatch", title: color });
  swatch.style.backgroundColor = color;
  return element("span", { class: "color" }, swatch, color);
}

// The panes of a mode, their content, and their layout.

/** @import { Mode, Side, Size, ViewerInput } from "./types.js" */

/**
 * `blend` says how the second side is laid on the first. `marks` is the side with outlined
 * changes: "both" shows the old and the new places of content.
 *
 * @typedef {object} PanePlan
 * @property {string} title
 * @property {Side[]} sides
 * @property {"none" | "opacity" | "divider" | "difference"} blend
 * @property {"before" | "after" | "both"} marks
 */

/** Below this width, two panes next to each other are too narrow on an upright screen. */
const NARROW = 600;
const MUCH_LARGER = 1.3;

/**
 * @param {ViewerInput} input
 * @param {Mode} mode
 * @param {"before" | "after"} blinking The current side of the blink mode.
 * @param {boolean} [isHeld] Whether before is shown in the place of what differs from it.
 * @returns {PanePlan[]}
 */
export function planPanes(input, mode, blinking, isHeld = false) {
  const single = singlePane(input);
  if (single) {
    return [single];
  }
  if (isHeld) {
    return mode === "side-by-side" ? [paneOf("before"), paneOf("before")] : [paneOf("before")];
  }
  switch (mode) {
    case "side-by-side":
      return [paneOf("before"), paneOf("after")];
    case "overlay":
      return [{ title: "After over before", sides: ["before", "after"], blend: "opacity", marks: "both" }];
    case "swipe":
      return [
        { title: "Before | After", sides: ["before", "after"], blend: "divider", marks: "both" },
      ];
    case "blink":
      return [paneOf(blinking)];
    case "difference":
      return [differencePane(input)];
  }
}

/**
 * Whether there are two sides that modes can compare.
 *
 * @param {ViewerInput} input
 */
export function hasBothSides(input) {
  return input.before !== null && input.after !== null && input.before.url !== input.after.url;
}

/**
 * @param {ViewerInput} input
 * @returns {PanePlan | null}
 */
function singlePane(input) {
  const { before, after } = input;
  if (before && after) {
    return hasBothSides(input) ? null : { ...paneOf("after"), title: "Before and after are the same image" };
  }
  if (after) {
    return { ...paneOf("after"), title: "New: there is no earlier image" };
  }
  if (before) {
    return { ...paneOf("before"), title: "Removed: this is the earlier image" };
  }
  return { title: "No image", sides: [], blend: "none", marks: "after" };
}

/**
 * @param {"before" | "after"} side
 * @returns {PanePlan}
 */
function paneOf(side) {
  const title = side === "before" ? "Before" : "After";
  return { title, sides: [side], blend: "none", marks: side };
}

/**
 * @param {ViewerInput} input
 * @returns {PanePlan}
 */
function differencePane(input) {
  return input.diff
    ? { title: "Difference", sides: ["diff"], blend: "none", marks: "both" }
    : { title: "Difference", sides: ["before", "after"], blend: "difference", marks: "both" };
}

/**
 * Return whether two panes are below each other: on an upright narrow screen, and for wide and low
 * images, if the panes become much larger.
 *
 * @param {Size} stage
 * @param {Size} content
 */
export function isStacked(stage, content) {
  if (stage.width < NARROW) {
    return stage.height > stage.width * 0.75;
  }
  const beside = Math.min(1, stage.width / 2 / content.width);
  const below = Math.min(1, stage.width / content.width);
  return content.height * below <= stage.height / 2 && below >= beside * MUCH_LARGER;
}

/**
 * Describe the size of the sides; both sizes if different.
 *
 * @param {ViewerInput} input
 * @param {Side[]} sides
 */
export function describeSizes(input, sides) {
  const sizes = sides.map((side) => input[side]).filter((source) => source !== null);
  const texts = sizes.map((size) => formatSize(size));
  return [...new Set(texts)].join(" → ");
}

/** @param {Size} size */
export function formatSize(size) {
  return `${formatCount(size.width)} × ${formatCount(size.height)}`;
}

/** @param {number} count */
function formatCount(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** @param {ViewerInput} input */
export function haveSizesChanged(input) {
  const { before, after } = input;
  return Boolean(
    before && after && (before.width !== after.width || before.height !== after.height),
  );
}

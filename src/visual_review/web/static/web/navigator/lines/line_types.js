// The view and the height of each type of line.

/** @import { Item } from "../../review/types.js" */
/** @import { LineView } from "./line_view.js" */

import { GroupLine } from "./group_line.js";
import { FailureLine, HeadingLine, LoadingLine, RemainderLine } from "./heading_line.js";
import { StoryLine } from "./story_line.js";

/** @typedef {Item["type"]} LineType */

/** In rem, so that lines grow with the text size of the browser. */
const HEIGHTS = {
  section: 2.25,
  failure: 3.25,
  group: 5.5,
  folder: 2.25,
  story: 4.75,
  screenshot: 4.75,
  remainder: 2,
  loading: 3,
};

/** A finger needs more. */
const TOUCH_HEIGHTS = { ...HEIGHTS, section: 2.75, folder: 2.75, remainder: 2.75, story: 5.25, group: 5.75 };

/**
 * @param {boolean} isTouch
 * @param {number} rem In pixels.
 * @returns {Readonly<Record<LineType, number>>}
 */
export function lineHeights(isTouch, rem) {
  const heights = isTouch ? TOUCH_HEIGHTS : HEIGHTS;
  const inPixels = Object.entries(heights).map(([type, height]) => [type, Math.round(height * rem)]);
  return Object.fromEntries(inPixels);
}

/**
 * @param {LineType} type
 * @returns {LineView}
 */
export function createLineView(type) {
  switch (type) {
    case "section":
    case "folder":
      return new HeadingLine(type);
    case "failure":
      return new FailureLine();
    case "group":
      return new GroupLine();
    case "remainder":
      return new RemainderLine();
    case "loading":
      return new LoadingLine();
    default:
      return new StoryLine();
  }
}

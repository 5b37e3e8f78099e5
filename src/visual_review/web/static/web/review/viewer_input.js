// What the viewer gets of a screenshot.

import { nameScreenshot } from "./targets.js";

/** @import { Details, Screenshot, ViewerInput } from "./types.js" */

/**
 * @param {Details} details
 * @param {Screenshot | undefined} screenshot
 * @returns {ViewerInput}
 */
export function toViewerInput(details, screenshot) {
  const { id, images, changes, boxes, regions } = details;
  return {
    id,
    label: screenshot ? nameScreenshot(screenshot) : id,
    state: screenshot?.state ?? (images.diff ? "changed" : "unchanged"),
    before: images.before,
    after: images.after,
    diff: images.diff,
    changes,
    boxes,
    regions,
    ...(details.message ? { message: details.message } : {}),
  };
}

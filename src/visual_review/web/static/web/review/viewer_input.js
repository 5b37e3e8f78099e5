// The viewer's input for a screenshot.

import { nameScreenshot } from "./targets.js";

/** @import { Pin } from "../viewer/types.js" */
/** @import { Details, Screenshot, ViewerInput } from "./types.js" */

/**
 * @param {Details} details
 * @param {Screenshot | undefined} screenshot
 * @param {readonly Pin[]} [pins]
 * @returns {ViewerInput}
 */
export function toViewerInput(details, screenshot, pins = []) {
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
    pins,
    ...(details.message ? { message: details.message } : {}),
  };
}

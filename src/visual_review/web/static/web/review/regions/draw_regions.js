// Draws and saves the regions of the current screenshot.

import { RefusedError, SignedOutError, StaleTokenError, UnreachableError, postJson } from "../requests.js";
import { countOf } from "../../navigator/model/names.js";
import { nameScreenshot } from "../targets.js";
import { askForRegions } from "./region_editor.js";

/** @import { Announcer } from "../announcer.js" */
/** @import { DetailsCache } from "../details_cache.js" */
/** @import { PageContext } from "../page_context.js" */
/** @import { ReviewStore } from "../store.js" */
/** @import { Box, Screenshot } from "../types.js" */

/** @typedef {{comparedAgain: number, warnings: string[]}} SaveResult */
/** @typedef {{store: ReviewStore, details: DetailsCache, announcer: Announcer, context: PageContext}} Parts */

/** @param {Parts} parts */
export async function drawRegions({ store, details, announcer, context }) {
  const screenshot = store.screenshot(store.current ?? "");
  const shown = details.get(screenshot?.id ?? "");
  const { snapshot } = store;
  if (!snapshot?.me.mayReview) {
    announcer.notify("You can view this build, not draw regions.");
    return;
  }
  if (!screenshot || !shown) {
    announcer.notify("Loading: draw once the image is shown.");
    return;
  }
  const others = [...snapshot.screenshots.values()].filter(({ storyId, id }) => storyId === screenshot.storyId && id !== screenshot.id);
  const chosen = await askForRegions(`Dynamic regions of ${nameScreenshot(screenshot)}`, shown, others);
  const variants = chosen ? [screenshot, ...chosen.variants] : [];
  const saved = await saveAll(context, variants, chosen?.regions ?? [], announcer);
  if (saved.length > 0) {
    announcer.notify(describeSaved(saved), { look: "success" });
    details.markOutdated(variants.map(({ id }) => id));
    void details.load([screenshot.id]);
  }
}

/** @param {readonly SaveResult[]} saved */
function describeSaved(saved) {
  const again = Math.max(...saved.map(({ comparedAgain }) => comparedAgain));
  const effect = again > 0 ? `${countOf(again, "undecided build")} ${again === 1 ? "is" : "are"} compared again.` : "";
  const warnings = new Set(saved.flatMap((each) => each.warnings));
  return [`Regions saved for ${countOf(saved.length, "variant")}.`, effect, ...warnings].filter(Boolean).join(" ");
}

/**
 * Save one variant after the other; failures are announced, and the other variants are kept.
 *
 * @param {PageContext} context
 * @param {readonly Screenshot[]} variants
 * @param {readonly Box[]} regions
 * @param {Announcer} announcer
 */
async function saveAll(context, variants, regions, announcer) {
  /** @type {SaveResult[]} */
  const saved = [];
  for (const { storyId, theme, device } of variants) {
    try {
      saved.push(/** @type {SaveResult} */ (await postJson(context.urls.regions, { storyId, theme, device, regions }, context.csrfToken)));
    } catch (error) {
      if (!(error instanceof RefusedError || error instanceof SignedOutError || error instanceof StaleTokenError || error instanceof UnreachableError)) {
        throw error;
      }
      announcer.notify(`The regions of ${theme}, ${device} were not saved: ${error.message}`, { look: "error" });
    }
  }
  return saved;
}

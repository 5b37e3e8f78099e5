// Opens the grid of the current screenshot's group, and carries out the choices made there.

import { isDecidable } from "../order.js";
import { targetGroupOrStory, targetMembers, targetSelection } from "../targets.js";
import { GroupGrid } from "./group_grid.js";

/** @import { Announcer } from "../announcer.js" */
/** @import { DetailsCache } from "../details_cache.js" */
/** @import { ReviewFlow } from "../review_flow.js" */
/** @import { SeenScreenshots } from "../seen_screenshots.js" */
/** @import { ReviewStore } from "../store.js" */
/** @import { Screenshot, Snapshot } from "../types.js" */

/** @typedef {{store: ReviewStore, details: DetailsCache, announcer: Announcer, flow: ReviewFlow, seen: SeenScreenshots}} Parts */

/** @param {Parts} parts */
export function openGrid(parts) {
  const { store, details, announcer, flow, seen } = parts;
  const { snapshot } = store;
  const found = findGroup(store);
  if (!snapshot || !found) {
    announcer.notify("No other screenshot changed like this one.");
    return;
  }
  const { target, remainders } = found;
  const named = (/** @type {readonly string[]} */ ids) => ids.flatMap((id) => store.screenshot(id) ?? []);
  const mayDecide = snapshot.me.mayReview && snapshot.build.decidable;
  const content = { title: target.label, members: named(target.ids), apart: named(remainders), mayDecide };
  new GroupGrid(content, details, {
    decide: (ids, decision, unseen) => flow.decideMembers(targetMembers(snapshot, target, ids), decision, unseen),
    open: (id) => store.setCurrent(id),
    see: (ids) => seen.add(ids),
  }).show();
}

/**
 * Return the selection or, without a selection, the group of the current screenshot, or its story;
 * nothing without a second member.
 *
 * @param {ReviewStore} store
 */
function findGroup({ snapshot, current, selection }) {
  if (snapshot && selection.size > 1) {
    return { target: targetSelection(snapshot, selection), remainders: [] };
  }
  const screenshot = snapshot?.screenshots.get(current ?? "");
  if (!snapshot || !screenshot || !isDecidable(screenshot)) {
    return null;
  }
  const target = targetGroupOrStory(snapshot, screenshot);
  return target.ids.length > 1 ? { target, remainders: remaindersOf(snapshot, screenshot) } : null;
}

/**
 * @param {Snapshot} snapshot
 * @param {Screenshot} screenshot
 */
function remaindersOf({ groups }, { groupId }) {
  return groups.get(groupId ?? "")?.remainders ?? [];
}

// The target of a decision: a screenshot, a story, a group, a selection or the build.

import { countOf } from "../navigator/model/names.js";
import { isDecidable } from "./order.js";

/** @import { Effect, DecisionRequest } from "./decision_queue.js" */
/** @import { Decision, Group, Screenshot, Snapshot } from "./types.js" */

/**
 * `ids` are the screenshots that change at once on the page; the server changes a build's.
 * @typedef {object} Target
 * @property {"screenshot" | "story" | "group" | "selection" | "build"} type
 * @property {string} label
 * @property {string[]} ids
 * @property {Pick<DecisionRequest, "screenshots" | "stories" | "groups" | "build" | "includeUnchanged">} request
 */

/** @param {Screenshot} screenshot */
export function nameScreenshot(screenshot) {
  return `${screenshot.title}, ${screenshot.theme}, ${screenshot.device}`;
}

/**
 * @param {Screenshot} screenshot
 * @returns {Target}
 */
export function targetScreenshot(screenshot) {
  const { id } = screenshot;
  return { type: "screenshot", label: nameScreenshot(screenshot), ids: [id], request: { screenshots: [id] } };
}

/**
 * @param {Snapshot} snapshot
 * @param {Iterable<string>} ids
 * @returns {Target}
 */
export function targetSelection(snapshot, ids) {
  const chosen = [...ids].filter((id) => isDecidable(snapshot.screenshots.get(id)));
  const [only] = chosen;
  const screenshot = only && chosen.length === 1 ? snapshot.screenshots.get(only) : undefined;
  const label = screenshot ? nameScreenshot(screenshot) : countOf(chosen.length, "screenshot");
  return { type: "selection", label, ids: chosen, request: { screenshots: chosen } };
}

/**
 * Return the group of a screenshot or, if it changed like no other, its story.
 * @param {Snapshot} snapshot
 * @param {Screenshot} screenshot
 * @returns {Target}
 */
export function targetGroupOrStory(snapshot, screenshot) {
  const group = screenshot.groupId === null ? undefined : snapshot.groups.get(screenshot.groupId);
  return group ? targetGroup(snapshot, group) : targetStory(snapshot, screenshot);
}

/**
 * @param {Snapshot} snapshot
 * @param {Group} group
 * @returns {Target}
 */
function targetGroup(snapshot, group) {
  const ids = collectIds(snapshot, (each) => each.groupId === group.id);
  const { id, revision } = group;
  const count = group.isAlike ? `${ids.length} alike` : countOf(ids.length, "screenshot");
  return { type: "group", label: `${group.name} (${count})`, ids, request: { groups: [{ id, revision }] } };
}

/**
 * @param {Snapshot} snapshot
 * @param {Screenshot} screenshot
 * @returns {Target}
 */
export function targetStory(snapshot, screenshot) {
  const { storyId, title } = screenshot;
  // Removed screenshots are decided alone, or with all removed ones.
  const ids = collectIds(snapshot, (each) => each.storyId === storyId && (each.state === "changed" || each.state === "new"));
  return { type: "story", label: `${title} (${countOf(ids.length, "variant")})`, ids, request: { stories: [storyId] } };
}

/**
 * Return the target of the members that are left: all of the group, or the given screenshots.
 * @param {Snapshot} snapshot
 * @param {Target} all
 * @param {readonly string[]} ids
 * @returns {Target}
 */
export function targetMembers(snapshot, all, ids) {
  if (ids.length === all.ids.length) {
    return { ...all, type: "selection" };
  }
  const chosen = targetSelection(snapshot, ids);
  return ids.length === 1 ? chosen : { ...chosen, label: `${countOf(ids.length, "screenshot")} of ${all.label}` };
}

/**
 * @param {Snapshot} snapshot
 * @param {boolean} includeUnchanged
 * @returns {Target}
 */
export function targetBuild(snapshot, includeUnchanged) {
  return { type: "build", label: `build #${snapshot.build.number}`, ids: [], request: { build: true, includeUnchanged } };
}

/**
 * Return the target without unchanged decisions: an approved screenshot keeps its approver.
 * @param {Target} target
 * @param {Snapshot} snapshot
 * @param {Decision} decision
 * @returns {Target}
 */
export function withoutSame(target, snapshot, decision) {
  const ids = target.ids.filter((id) => snapshot.screenshots.get(id)?.decision !== decision);
  return { ...target, ids };
}

/**
 * Return what the page shows before the server has confirmed it.
 * @param {Target} target
 * @param {Decision} decision
 * @returns {Effect[]}
 */
export function effectsOf(target, decision) {
  return target.ids.map((id) => [id, decision]);
}

/**
 * Return what the page shows now.
 * @param {Target} target
 * @param {Snapshot} snapshot
 * @returns {Effect[]}
 */
export function currentEffects(target, snapshot) {
  return target.ids.map((id) => [id, snapshot.screenshots.get(id)?.decision ?? ""]);
}

/**
 * @param {Snapshot} snapshot
 * @param {(screenshot: Screenshot) => boolean} belongs
 */
function collectIds(snapshot, belongs) {
  const found = [];
  for (const each of snapshot.screenshots.values()) {
    if (belongs(each) && isDecidable(each)) {
      found.push(each.id);
    }
  }
  return found;
}

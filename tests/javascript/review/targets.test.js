import assert from "node:assert/strict";
import { test } from "node:test";

import { isDecidable, idsAhead, rangeBetween } from "../../../src/visual_review/web/static/web/review/order.js";
import {
  currentEffects,
  effectsOf,
  targetBuild,
  targetGroupOrStory,
  targetScreenshot,
  targetSelection,
  targetStory,
  withoutSame,
} from "../../../src/visual_review/web/static/web/review/targets.js";
import { group, screenshot, snapshot } from "./samples.js";

const SHOTS = [
  screenshot("a", { groupId: "g" }),
  screenshot("b", { groupId: "g", decision: "approved" }),
  screenshot("c", { storyId: "s", title: "Menu" }),
  screenshot("d", { storyId: "s", title: "Menu", theme: "light" }),
  screenshot("e", { storyId: "s", title: "Menu", state: "failed" }),
  screenshot("f", { storyId: "s", title: "Menu", state: "unchanged" }),
];
const BUILD = snapshot(SHOTS, { groups: new Map([["g", group("g")]]) });

/** @param {string} id */
function shot(id) {
  const found = BUILD.screenshots.get(id);
  assert.ok(found);
  return found;
}

test("a screenshot is named with its variant", () => {
  assert.deepEqual(targetScreenshot(shot("a")), { type: "screenshot", label: "Components/a, dark, phone", ids: ["a"], request: { screenshots: ["a"] } });
});

test("a group is sent with the revision that was seen", () => {
  const target = targetGroupOrStory(BUILD, shot("a"));
  assert.deepEqual(target.ids, ["a", "b"]);
  assert.deepEqual(target.request, { groups: [{ id: "g", revision: "revision of g" }] });
});

test("without a group it is the story: what changed of it and has an image", () => {
  const target = targetGroupOrStory(BUILD, shot("c"));
  assert.deepEqual(target, targetStory(BUILD, shot("d")));
  assert.deepEqual(target.ids, ["c", "d"]);
  assert.deepEqual(target.request, { stories: ["s"] });
  assert.equal(target.label, "Menu (2 variants)");
});

test("a selection leaves out what has no result", () => {
  assert.deepEqual(targetSelection(BUILD, ["a", "e", "c"]).ids, ["a", "c"]);
  assert.equal(targetSelection(BUILD, ["a", "c"]).label, "2 screenshots");
  assert.equal(targetSelection(BUILD, ["a"]).label, "Components/a, dark, phone");
});

test("a build is the server's to change", () => {
  assert.deepEqual(targetBuild(BUILD, true).request, { build: true, includeUnchanged: true });
  assert.deepEqual(targetBuild(BUILD, true).ids, []);
});

test("what has the decision already keeps the one who made it", () => {
  const target = withoutSame(targetGroupOrStory(BUILD, shot("a")), BUILD, "approved");
  assert.deepEqual(effectsOf(target, "approved"), [["a", "approved"]]);
  assert.deepEqual(currentEffects(target, BUILD), [["a", ""]]);
});

test("failed and pending screenshots cannot be decided", () => {
  assert.deepEqual(SHOTS.filter(isDecidable).map((each) => each.id), ["a", "b", "c", "d", "f"]);
  assert.equal(isDecidable(screenshot("x", { state: "pending" })), false);
  assert.equal(isDecidable(undefined), false);
});

test("a range goes in both directions", () => {
  const ids = ["a", "b", "c", "d"];
  assert.deepEqual(rangeBetween(ids, "b", "d"), ["b", "c", "d"]);
  assert.deepEqual(rangeBetween(ids, "d", "b"), ["b", "c", "d"]);
  assert.deepEqual(rangeBetween(ids, null, "b"), ["b"]);
  assert.deepEqual(rangeBetween(ids, "gone", "b"), ["b"]);
});

test("what comes next is loaded first, then the one before", () => {
  assert.deepEqual(idsAhead(["a", "b", "c", "d", "e"], "b", 2), ["c", "d", "a"]);
  assert.deepEqual(idsAhead(["a", "b"], "x", 2), []);
});

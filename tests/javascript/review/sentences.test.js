import assert from "node:assert/strict";
import { test } from "node:test";

import { countProgress, primaryAction } from "../../../src/visual_review/web/static/web/review/progress.js";
import {
  describeAge,
  describeApproval,
  describeBuild,
  describeConflict,
  describeDecider,
  describeEmpty,
  describeFlakiness,
  describeProgress,
  describeRejections,
  describeSummary,
  describeUnsaved,
  shorten,
} from "../../../src/visual_review/web/static/web/review/sentences.js";
import { withReturn } from "../../../src/visual_review/web/static/web/review/sign_in_dialog.js";
import { describeDecided, describeFinalized } from "../../../src/visual_review/web/static/web/review/summary_dialog.js";
import { build, preview, screenshot, snapshot } from "./samples.js";

/** @import { DecisionResult } from "../../../src/visual_review/web/static/web/review/wire.js" */

test("an approval is described before it is made", () => {
  assert.deepEqual(describeApproval(preview()), ["Version 12 becomes the baseline of main."]);
  assert.deepEqual(describeApproval(preview({ undecided: 1, removed: 2, failures: 3, rollsBack: true, replacesBuild: 14 })), [
    "Version 12 becomes the baseline of main.",
    "1 screenshot that no one decided about is approved.",
    "2 removed screenshots leave the baseline.",
    "3 failures are accepted; the baseline keeps what it has there.",
    "This goes back: the baseline is from the newer build #14 now.",
  ]);
  assert.equal(describeRejections([{ by: "Bob", count: 2 }, { by: "Carol", count: 1 }]), "Also approve 3 rejected screenshots (2 by Bob, 1 by Carol)");
});

test("flakiness is counted over the last captures", () => {
  const once = { captures: 10, unstable: 3, varied: 0 };
  assert.equal(describeFlakiness(once), "Unstable in 3 of the last 10 captures");
  assert.equal(
    describeFlakiness({ captures: 1, unstable: 1, varied: 2 }),
    "Unstable in 1 of the last 1 capture; 2 of the last 1 capture changed without a change of the sources",
  );
});

test("a conflict says who did what when", () => {
  const conflict = { screenshotId: "a", decision: "rejected", by: "Bob", at: "2026-11-23T10:00:00Z", comment: "" };
  const now = Date.parse("2026-11-23T10:00:03Z");
  assert.equal(describeConflict(conflict, now), "Bob rejected this 3 seconds ago.");
  assert.equal(describeConflict({ ...conflict, comment: "Too dark" }, now), "Bob rejected this 3 seconds ago. “Too dark”");
  assert.equal(describeConflict({ ...conflict, decision: "cleared" }, now), "Bob cleared the decision 3 seconds ago.");
});

test("ages are rounded down, and a clock that is behind does no harm", () => {
  const cases = /** @type {const} */ ([[-5000, "just now"], [1000, "1 second ago"], [119_000, "1 minute ago"], [7_300_000, "2 hours ago"], [200_000_000, "2 days ago"], [NaN, "just now"]]);
  for (const [age, text] of cases) {
    assert.equal(describeAge(age), text);
  }
});

test("long comments are shortened between characters", () => {
  assert.equal(shorten("short", 10), "short");
  assert.equal(shorten("👍".repeat(20), 10), `${"👍".repeat(10)}…`);
  assert.ok(shorten("x".repeat(100_000), 300).length < 310);
});

test("progress counts what needs a decision", () => {
  const shots = [
    screenshot("a", { decision: "approved" }),
    screenshot("b", { decision: "rejected" }),
    screenshot("c"),
    screenshot("d", { state: "failed" }),
    screenshot("e", { state: "unchanged", decision: "approved" }),
    screenshot("f", { state: "pending" }),
    screenshot("g", { state: "removed" }),
    screenshot("h", { state: "removed", decision: "approved" }),
  ];
  const progress = countProgress(snapshot(shots));
  assert.deepEqual(progress, { decided: 2, total: 3, approved: 1, rejected: 1, failed: 1, pending: 1, removalsOpen: 1 });
  assert.equal(describeProgress({ decided: 2, total: 123_456, removalsOpen: 0 }), "2 of 123,456 decided");
  assert.equal(describeProgress({ decided: 1, total: 2, removalsOpen: 12 }), "1 of 2 decided, 12 removals undecided");
  assert.equal(describeProgress({ decided: 0, total: 0, removalsOpen: 1 }), "1 removal undecided");
  assert.equal(describeProgress({ decided: 0, total: 0, removalsOpen: 0 }), "Nothing to decide");
});

test("one button is the primary one", () => {
  const open = snapshot([screenshot("a")]);
  const done = snapshot([screenshot("a", { decision: "approved" })]);
  const failed = snapshot([screenshot("a", { state: "failed" })]);
  const viewer = { ...open, me: { ...open.me, mayReview: false } };
  const approved = { ...done, build: build({ reviewState: "approved" }) };
  const processing = { ...open, build: build({ status: "processing", decidable: false }) };
  const cases = /** @type {const} */ ([[open, "screenshot"], [done, "build"], [failed, "build"], [viewer, "none"], [approved, "none"], [processing, "none"], [snapshot([]), "none"]]);
  for (const [each, expected] of cases) {
    assert.equal(primaryAction(each, countProgress(each)), expected);
  }
});

test("an empty page says why", () => {
  const texts = [
    describeEmpty(snapshot([], { unchangedCount: 1200 })),
    describeEmpty(snapshot([], { build: build({ status: "processing" }) })),
    describeEmpty(snapshot([], { build: build({ status: "failed", failure: "The worker ran out of memory." }) })),
    describeEmpty(snapshot([], { build: build({ status: "expired" }) })),
    describeEmpty(snapshot([screenshot("a")])),
  ];
  assert.deepEqual(texts, [
    "Nothing to review: all 1,200 screenshots match the baseline.",
    "The screenshots of this build are being compared. This page fills itself.",
    "This build failed. The worker ran out of memory.",
    "The upload of this build was never finished, so it expired. Publish it again.",
    "No screenshot matches the filters.",
  ]);
});

test("states and deciders have names", () => {
  assert.equal(describeBuild(build()), "Needs review");
  assert.equal(describeBuild(build({ status: "processing" })), "Being compared");
  assert.equal(describeDecider("rejected", "Bob", false), "Rejected by Bob");
  assert.equal(describeDecider("approved", "Bob", true), "Approved by Bob, carried over");
  assert.equal(describeDecider("", "", false), "Undecided");
  assert.equal(describeUnsaved(1), "1 decision not saved yet");
  assert.equal(describeUnsaved(3), "3 decisions not saved yet");
});

test("after the last decision the page sums up", () => {
  const result = { version: 12, acceptedRemovals: 1, acceptedFailures: 2, warnings: ["An older build."] };
  assert.deepEqual(describeFinalized(build(), /** @type {DecisionResult} */ (/** @type {unknown} */ (result))), [
    "Build #12 is approved.",
    "Version 12 is the baseline of main now.",
    "1 removed screenshot left the baseline.",
    "2 failures accepted.",
    "An older build.",
  ]);
  const progress = { decided: 3, total: 3, approved: 1, rejected: 2, failed: 0, pending: 0, removalsOpen: 0 };
  assert.deepEqual(describeDecided(build({ reviewState: "rejected" }), progress), [
    "Everything in build #12 is decided: 1 approved, 2 rejected.",
    "The build stays rejected until a later one fixes it.",
  ]);
});

test("signing in leads back to the same view", () => {
  assert.equal(withReturn("/sign-in", "/builds/b?q=a&shot=s"), "/sign-in?next=%2Fbuilds%2Fb%3Fq%3Da%26shot%3Ds");
  assert.equal(withReturn("/sign-in?next=/builds/b", "/builds/b?q=a"), "/sign-in?next=%2Fbuilds%2Fb%3Fq%3Da");
});

test("notes of the capture are in the line about a screenshot", () => {
  const nothing = { summary: "", message: "", unstable: "", notes: [] };
  const note = "A request failed: /lost.png (404).";
  assert.equal(describeSummary(nothing, "Card, light, phone"), "Card, light, phone");
  assert.equal(describeSummary({ ...nothing, notes: [note] }, "Card"), note);
  assert.equal(describeSummary({ ...nothing, unstable: "a video", notes: [note] }, "Card"), "2 notes: Unstable: a video");
  assert.equal(describeSummary({ ...nothing, summary: "Moved", notes: [note] }, "Card"), "Moved · 1 note");
});

test("a build that captured little says so", () => {
  const counts = { changed: 0, new: 0, removed: 0, failed: 0, unchanged: 210, inherited: 210, pending: 0 };
  assert.equal(describeBuild(build({ reviewState: "not_required", counts })), "No changes (0 captured, 210 taken over)");
  assert.equal(describeBuild(build({ reviewState: "not_required", counts: { ...counts, inherited: 105 } })), "No changes");
});

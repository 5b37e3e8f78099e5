import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decodeRows,
  mergeUnchanged,
  parseIndex,
} from "../../../src/visual_review/web/static/web/navigator/model/snapshot.js";
import { createAnswer, createGroup, createSnapshot, encodeMany, encodeRow } from "./index_answers.js";

test("a row refers to the tables of its answer", () => {
  const row = encodeRow("shot_1", {
    story: 1,
    theme: 1,
    device: 2,
    state: 3,
    decision: 2,
    group: 0,
    kind: 1,
    flags: 1 | 8,
    message: 0,
  });
  const { screenshots } = createSnapshot([row], { groups: [createGroup({ id: "group_1" })] });
  assert.deepEqual(screenshots.get("shot_1"), {
    id: "shot_1",
    storyId: "story--1",
    title: "Components/Card/Plain",
    theme: "dark",
    device: "desktop",
    state: "failed",
    decision: "rejected",
    groupId: "group_1",
    kind: "color",
    severity: 0.5,
    ratio: 0.01,
    width: 1440,
    height: 900,
    inherited: true,
    onlyInRegions: false,
    matchesFormerBaseline: false,
    unstable: true,
    carriedOver: false,
    hasComment: false,
    hasNotes: false,
    decidedBy: "Alice",
    message: "TypeError: x is not a function",
  });
});

test("a row without a group, kind, person and message has none", () => {
  const { screenshots } = createSnapshot([encodeRow("shot_1", { kind: -1 })]);
  const found = screenshots.get("shot_1");
  assert.deepEqual(
    [found?.groupId, found?.kind, found?.decidedBy, found?.message],
    [null, "", "", ""],
  );
});

test("a story without a title is named by its id", () => {
  const answer = createAnswer([encodeRow("shot_1")], { stories: [["card--plain", ""]] });
  assert.equal(parseIndex(answer).screenshots.get("shot_1")?.title, "card--plain");
});

test("rows of a later answer name groups by their place in the index", () => {
  const snapshot = createSnapshot([encodeRow("shot_1")], {
    groups: [createGroup({ id: "group_1" }), createGroup({ id: "group_2" })],
  });
  const answer = createAnswer([encodeRow("shot_1", { group: 1, decision: 1 })]);
  const [row] = decodeRows(answer, snapshot);
  assert.deepEqual([row?.groupId, row?.decision], ["group_2", "approved"]);
});

test("unchanged ones come after the others, and what is known stays", () => {
  const snapshot = createSnapshot([encodeRow("shot_1", { decision: 1 })], { unchangedCount: 2 });
  assert.equal(snapshot.hasUnchanged, false);
  const rows = [encodeRow("shot_1"), encodeRow("shot_2", { state: 5 })];
  const merged = mergeUnchanged(snapshot, createAnswer(rows));
  assert.deepEqual([...merged.screenshots.keys()], ["shot_1", "shot_2"]);
  assert.equal(merged.screenshots.get("shot_1")?.decision, "approved");
  assert.equal(merged.hasUnchanged, true);
});

test("12,000 rows are read", () => {
  assert.equal(createSnapshot(encodeMany(2000)).screenshots.size, 12_000);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { listChips, listChoices } from "../../../src/visual_review/web/static/web/navigator/model/choices.js";
import { describeGroup, describeHeading, describeStory, shortenMessage } from "../../../src/visual_review/web/static/web/navigator/model/facts.js";
import { ListModel } from "../../../src/visual_review/web/static/web/navigator/model/list_model.js";
import { formatCount, formatShare } from "../../../src/visual_review/web/static/web/navigator/model/names.js";
import { chooseBatch, RetryTimes } from "../../../src/visual_review/web/static/web/navigator/model/thumbnail_plan.js";
import { DEFAULT_VIEW } from "../../../src/visual_review/web/static/web/navigator/model/view.js";
import { createGroup, createSnapshot, encodeRow } from "./index_answers.js";

const VARIANTS = ["light phone", "light desktop", "dark phone", "dark desktop"];

/**
 * @param {(string | number)[][]} rows
 * @param {Parameters<typeof createSnapshot>[1]} [fields]
 */
function open(rows, fields = {}) {
  const snapshot = createSnapshot(rows, { variants: VARIANTS, ...fields });
  const model = new ListModel();
  model.update(snapshot, null);
  /** @param {string} type */
  const line = (type) => {
    const found = model.lines.find((each) => each.type === type);
    assert.ok(found);
    return found;
  };
  return { snapshot, model, line };
}

/**
 * @param {(string | number)[][]} rows
 * @param {number[]} [unchangedVariants]
 */
function describeFirst(rows, unchangedVariants = []) {
  const { snapshot, model, line } = open(rows, { unchangedVariants });
  return describeStory(line("story"), snapshot, model.lookup, null);
}

test("a story's line says all in words", () => {
  const facts = describeFirst([encodeRow("a", { theme: 1, flags: 8 | 32 | 64 })]);
  assert.deepEqual(
    [facts.path, facts.name, facts.state, facts.change, facts.share],
    ["Components / Button", "Primary", "changed", "Text", "1.0 %"],
  );
  assert.deepEqual(facts.signs.map(({ icon }) => icon), ["unstable", "info", "comment"]);
  assert.equal(facts.more, "dark phone. Undecided. Unstable. Has notes. Has a comment");
});

test("a story that has no other theme has nothing only in one", () => {
  const dark = [encodeRow("a", { theme: 1 })];
  assert.equal(describeFirst(dark).only, "");
  // The first of its variants, light on a phone, did not change.
  assert.equal(describeFirst(dark, [1]).only, "only dark");
});

test("decisions of several variants are counted", () => {
  const one = encodeRow("a", { decision: 1 });
  const other = (/** @type {number} */ decision) => encodeRow("b", { theme: 1, decision });
  const approved = describeFirst([one, other(1)]);
  assert.deepEqual([approved.decision, approved.decidedBy], ["Approved", "Alice"]);
  assert.equal(describeFirst([one, other(0)]).decision, "1 of 2 approved");
  const mixed = describeFirst([one, other(2)]);
  assert.deepEqual([mixed.mark, mixed.decision], ["rejected", "1 of 2 rejected"]);
  assert.deepEqual(describeFirst([other(0)]).mark, "");
});

test("a story's thumbnail is of the current variant, else of what waits", () => {
  const { snapshot, model, line } = open([
    encodeRow("a", { decision: 1 }),
    encodeRow("b", { theme: 1 }),
  ]);
  const story = line("story");
  assert.equal(describeStory(story, snapshot, model.lookup, null).thumbnail, "b");
  assert.equal(describeStory(story, snapshot, model.lookup, "a").thumbnail, "a");
});

test("a group says how many are alike, differ and are decided", () => {
  const groups = [createGroup({ id: "group_1", count: 2, remainders: ["c"] })];
  const rows = [
    encodeRow("a", { group: 0, decision: 1 }),
    encodeRow("b", { story: 1, group: 0 }),
    encodeRow("c", { story: 2 }),
  ];
  const { snapshot, model, line } = open(rows, { groups });
  const facts = describeGroup(line("group"), snapshot, model.lookup, null);
  assert.deepEqual(
    [facts.name, facts.alike, facts.progress],
    ["Same change in 2 stories: text changed", "2 alike, 1 with more changes", "1 of 2 decided"],
  );
  assert.equal(facts.mark, "");
});

test("a heading says what is left to decide", () => {
  const { snapshot, line } = open([encodeRow("a"), encodeRow("b", { story: 1 })]);
  const heading = describeHeading(line("section"), snapshot, false);
  assert.deepEqual(heading, {
    name: "Changed",
    count: "2 to decide",
    more: "of 2 screenshots",
  });
  assert.equal(describeHeading(line("section"), snapshot, true).name, "Stories");
});

test("the heading of unchanged ones has their number before they are loaded", () => {
  const { snapshot, line } = open([], { unchangedCount: 118_760 });
  assert.equal(describeHeading(line("section"), snapshot, false).count, "118,760");
});

test("messages are shortened, and never empty", () => {
  assert.equal(shortenMessage("x".repeat(100_000)).length, 301);
  assert.equal(shortenMessage(" "), "No message was given.");
});

test("shares say that something differs, however little", () => {
  const shares = [0, 0.00001, 0.0012, 0.0499, 0.123, 1].map(formatShare);
  assert.deepEqual(shares, ["", "< 0.01 %", "0.12 %", "5.0 %", "12 %", "100 %"]);
  assert.equal(formatCount(123_456), "123,456");
});

test("filters offer the kinds of the build, and chips what is chosen", () => {
  const { model } = open([encodeRow("a", { kind: 1 }), encodeRow("b", { story: 1, kind: -1 })]);
  const view = { ...DEFAULT_VIEW, kind: ["text"], unstable: true, story: "قائمة" };
  const counts = model.facetCounts;
  assert.ok(counts);
  const kinds = listChoices(view, counts).find(({ facet }) => facet === "kind");
  assert.deepEqual(
    kinds?.choices.map(({ name, count, isChosen }) => [name, count, isChosen]),
    [["Color", 1, false], ["Text", 0, true]],
  );
  const chips = listChips(view);
  assert.deepEqual(chips.map(({ name }) => name), ["Text", "Unstable", "Story قائمة"]);
  assert.deepEqual(chips.map(({ without }) => without).at(0)?.kind, []);
});

test("thumbnails that are missing are asked for again, later and later", () => {
  const retries = new RetryTimes();
  assert.deepEqual(chooseBatch(["a", "b"], retries, 0), { ids: ["a", "b"], wait: null });
  retries.postpone("a", 0);
  assert.deepEqual(chooseBatch(["a", "b"], retries, 0), { ids: ["b"], wait: null });
  assert.deepEqual(chooseBatch(["a"], retries, 500), { ids: [], wait: 1500 });
  retries.postpone("a", 2000);
  assert.deepEqual(chooseBatch(["a"], retries, 2000), { ids: [], wait: 4000 });
  retries.clear("a");
  assert.deepEqual(chooseBatch(["a"], retries, 2000), { ids: ["a"], wait: null });
  const many = Array.from({ length: 100 }, (_, index) => `shot_${index}`);
  assert.equal(chooseBatch(many, retries, 0).ids.length, 60);
});

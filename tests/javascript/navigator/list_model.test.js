import assert from "node:assert/strict";
import { test } from "node:test";

import { ListModel } from "../../../src/visual_review/web/static/web/navigator/model/list_model.js";
import { extendTo, toggleIds } from "../../../src/visual_review/web/static/web/navigator/model/selection.js";
import { mergeUnchanged } from "../../../src/visual_review/web/static/web/navigator/model/snapshot.js";
import { planKey } from "../../../src/visual_review/web/static/web/navigator/model/tree_keys.js";
import { DEFAULT_VIEW } from "../../../src/visual_review/web/static/web/navigator/model/view.js";
import { createAnswer, createGroup, createSnapshot, encodeRow } from "./index_answers.js";

/** @typedef {import("../../../src/visual_review/web/static/web/review/types.js").Snapshot} Snapshot */
/** @typedef {import("../../../src/visual_review/web/static/web/review/types.js").Screenshot} Screenshot */

/**
 * @param {Snapshot} snapshot
 * @param {string} id
 * @param {Partial<Screenshot>} fields
 */
function replace(snapshot, id, fields) {
  const before = snapshot.screenshots.get(id);
  assert.ok(before);
  snapshot.screenshots.set(id, { ...before, ...fields });
}

/** @param {Snapshot} snapshot */
function createModel(snapshot) {
  const model = new ListModel();
  model.update(snapshot, null);
  return model;
}

test("a decision changes no line, a comparison does", () => {
  const snapshot = createSnapshot([encodeRow("a"), encodeRow("b", { story: 1, state: 4 })]);
  const model = createModel(snapshot);
  const { lines } = model;
  replace(snapshot, "a", { decision: "approved" });
  assert.equal(model.update(snapshot, ["a"]), false);
  assert.equal(model.lines, lines);
  assert.equal(model.misplaced, 1);
  replace(snapshot, "b", { state: "changed" });
  assert.equal(model.update(snapshot, ["b"]), true);
  assert.deepEqual(
    model.lines.map(({ section, ids }) => section || ids[0]),
    ["changed", "a", "b"],
  );
});

test("decided ones move when a person asks for it, or chooses another view", () => {
  const rows = [encodeRow("a"), encodeRow("b", { story: 1 })];
  for (const act of [
    (/** @type {ListModel} */ model) => model.arrange(),
    (/** @type {ListModel} */ model) => model.setView({ ...DEFAULT_VIEW, device: ["phone"] }),
  ]) {
    const snapshot = createSnapshot(rows);
    const model = createModel(snapshot);
    replace(snapshot, "a", { decision: "rejected" });
    model.update(snapshot, ["a"]);
    assert.deepEqual(sections(model), ["changed"]);
    act(model);
    assert.deepEqual(sections(model), ["changed", "decided"]);
  }
});

test("a reload keeps the places of what is known", () => {
  const model = createModel(createSnapshot([encodeRow("a"), encodeRow("b", { story: 1 })]));
  const rows = [encodeRow("a", { decision: 1 }), encodeRow("b", { story: 1 }), encodeRow("c", { story: 2, decision: 1 })];
  model.update(createSnapshot(rows), null);
  assert.deepEqual(
    model.lines.map(({ section, ids }) => section || ids[0]),
    ["changed", "a", "b", "decided", "c"],
  );
});

test("what hides a screenshot is unfolded, but for its group", () => {
  const groups = [createGroup({ id: "group_1" })];
  const snapshot = createSnapshot(
    [encodeRow("a", { group: 0 }), encodeRow("b", { story: 1, group: 0 })],
    { groups },
  );
  const model = createModel(snapshot);
  model.fold("group:group_1", true);
  assert.equal(model.keyOf("b"), "group:group_1");
  model.fold("section:changed", true);
  assert.equal(model.keyOf("b"), "");
  assert.equal(model.unfoldTo("b"), true);
  assert.equal(model.keyOf("b"), "group:group_1");
  assert.equal(model.unfoldTo("b"), false);
});

test("unchanged ones are wanted once their section is unfolded, and the view says so", () => {
  const snapshot = createSnapshot([encodeRow("a")], { unchangedCount: 1 });
  const model = createModel(snapshot);
  assert.equal(model.needsUnchanged, false);
  model.fold("section:unchanged", false);
  assert.equal(model.needsUnchanged, true);
  assert.equal(model.view.unchanged, true);
  model.setLoading("Try again.");
  assert.equal(model.lines.at(-1)?.label, "Try again.");
  const answer = createAnswer([encodeRow("u", { story: 1, state: 5, kind: -1 })]);
  model.update(mergeUnchanged(snapshot, answer), null);
  assert.equal(model.needsUnchanged, false);
  assert.equal(model.keyOf("u"), "story:unchanged::story--1");
  model.fold("section:unchanged", true);
  assert.equal(model.view.unchanged, false);
});

test("a link to a story loads all of its variants", () => {
  const model = new ListModel();
  model.setView({ ...DEFAULT_VIEW, story: "story--7" });
  model.update(createSnapshot([encodeRow("a")], { unchangedCount: 6 }), null);
  assert.equal(model.needsUnchanged, true);
});

test("what is not loaded is not counted as nothing", () => {
  const model = createModel(createSnapshot([encodeRow("a")], { unchangedCount: 118_760 }));
  assert.equal(model.facetCounts?.state.get("unchanged"), 118_760);
  assert.ok(Number.isNaN(model.facetCounts?.regions.get("1")));
  model.setView({ ...DEFAULT_VIEW, theme: ["light"] });
  assert.ok(Number.isNaN(model.facetCounts?.state.get("unchanged")));
  model.setView({ ...DEFAULT_VIEW, regions: true });
  assert.equal(model.needsUnchanged, true);
});

test("only screenshots that were compared again get another thumbnail", () => {
  const snapshot = createSnapshot([encodeRow("a"), encodeRow("b")]);
  const model = createModel(snapshot);
  assert.deepEqual(model.recompared, []);
  replace(snapshot, "a", { decision: "approved" });
  replace(snapshot, "b", { ratio: 0.5 });
  model.update(snapshot, ["a", "b"]);
  assert.deepEqual(model.recompared, ["b"]);
});

test("stories and screenshots are counted, also in what is folded", () => {
  const model = createModel(createSnapshot([encodeRow("a"), encodeRow("b", { theme: 1 }), encodeRow("c", { story: 1 })]));
  model.fold("section:changed", true);
  assert.deepEqual(model.shown, { stories: 2, screenshots: 3 });
});

/** @param {ListModel} model */
function sections(model) {
  return model.lines.flatMap(({ section, type }) => (type === "section" ? section : []));
}

const TREE = createModel(
  createSnapshot(
    [encodeRow("a1", { group: 0 }), encodeRow("a2", { theme: 1, group: 0 }), encodeRow("b", { story: 1 })],
    { groups: [createGroup({ id: "group_1" })] },
  ),
).lines;

/**
 * @param {string} key
 * @param {number} index
 * @param {string | null} [current]
 * @param {boolean} [isRightToLeft]
 */
function press(key, index, current = null, isRightToLeft = false) {
  return planKey(key, { lines: TREE, index, pageSize: 3, current, isRightToLeft });
}

test("keys move through the tree and stop at its ends", () => {
  assert.deepEqual(press("ArrowDown", 0), { type: "focus", index: 1 });
  assert.deepEqual(press("ArrowUp", 0), { type: "focus", index: 0 });
  assert.deepEqual(press("PageDown", 2), { type: "focus", index: 3 });
  assert.deepEqual(press("PageUp", 3), { type: "focus", index: 0 });
  assert.deepEqual(press("Home", 3), { type: "focus", index: 0 });
  assert.deepEqual(press("End", 0), { type: "focus", index: 3 });
  assert.deepEqual(press("Enter", 0), { type: "choose" });
  assert.deepEqual(press(" ", 0), { type: "select" });
  assert.equal(press("a", 0), null);
});

test("sideways keys fold, enter, leave, and go through variants", () => {
  assert.deepEqual(press("ArrowLeft", 1), { type: "fold", isFolded: true });
  assert.deepEqual(press("ArrowRight", 1), { type: "focus", index: 2 });
  assert.deepEqual(press("ArrowRight", 2, "a1"), { type: "show", id: "a2" });
  assert.deepEqual(press("ArrowRight", 2, "a2"), { type: "focus", index: 2 });
  assert.deepEqual(press("ArrowLeft", 2, "a2"), { type: "show", id: "a1" });
  assert.deepEqual(press("ArrowLeft", 2, "a1"), { type: "focus", index: 1 });
  assert.deepEqual(press("ArrowLeft", 2, "a1", true), { type: "show", id: "a2" });
});

test("clicks with modifier keys choose and extend", () => {
  assert.deepEqual([...toggleIds(new Set(["a"]), ["a", "b"])], ["a", "b"]);
  assert.deepEqual([...toggleIds(new Set(["a", "b", "c"]), ["a", "b"])], ["c"]);
  const visible = ["a", "b", "c", "d", "e"];
  assert.deepEqual([...extendTo(new Set(), visible, "d", ["b"])], ["b", "c", "d"]);
  assert.deepEqual([...extendTo(new Set(["e"]), visible, null, ["a", "b"])], ["e", "a", "b"]);
  assert.deepEqual([...extendTo(new Set(["e"]), visible, "gone", ["away"])], ["e"]);
});

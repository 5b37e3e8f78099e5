import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange, extendArrangement } from "../../../src/visual_review/web/static/web/navigator/model/arrangement.js";
import { buildItems, explainEmpty } from "../../../src/visual_review/web/static/web/navigator/model/items.js";
import { DEFAULT_VIEW } from "../../../src/visual_review/web/static/web/navigator/model/view.js";
import { createGroup, createSnapshot, encodeMany, encodeRow } from "./index_answers.js";

/** @typedef {import("../../../src/visual_review/web/static/web/review/types.js").Snapshot} Snapshot */
/** @typedef {import("../../../src/visual_review/web/static/web/navigator/model/view.js").View} View */

/**
 * @param {Snapshot} snapshot
 * @param {Partial<View>} [choice]
 * @param {[string, boolean][]} [folds]
 */
function build(snapshot, choice = {}, folds = []) {
  const arrangement = arrange(snapshot.screenshots.values());
  const view = { ...DEFAULT_VIEW, ...choice };
  return buildItems(snapshot, view, { arrangement, folds: new Map(folds) });
}

/**
 * Lines as short texts: level, type, what it is, its screenshots.
 *
 * @param {ReturnType<typeof build>} lines
 */
function describe(lines) {
  return lines.map(({ level, type, section, label, ids }) => {
    const name = type === "section" ? section : label;
    return `${level} ${type} ${name}: ${ids.join(" ")}`;
  });
}

test("failures come first, then what needs a decision, then the rest", () => {
  const snapshot = createSnapshot(
    [
      encodeRow("changed", { story: 0 }),
      encodeRow("approved", { story: 1, decision: 1 }),
      encodeRow("rejected", { story: 2, decision: 2 }),
      encodeRow("new", { story: 3, state: 1 }),
      encodeRow("removed", { story: 4, state: 2 }),
      encodeRow("failed", { story: 5, state: 3, message: 0 }),
      encodeRow("pending", { story: 6, state: 4 }),
      encodeRow("unchanged", { story: 7, state: 5 }),
    ],
  );
  const sections = build(snapshot).filter(({ type }) => type === "section");
  assert.deepEqual(describe(sections), [
    "1 section failed: failed",
    "1 section changed: changed",
    "1 section new: new",
    "1 section removed: removed",
    "1 section decided: approved rejected",
    "1 section pending: pending",
    "1 section unchanged: ",
  ]);
});

test("a message is shown once, with the stories that failed with it", () => {
  const failed = { state: 3, message: 0 };
  const snapshot = createSnapshot([
    encodeRow("a1", { ...failed, story: 0 }),
    encodeRow("a2", { ...failed, story: 0, theme: 1 }),
    encodeRow("b", { ...failed, story: 1 }),
    encodeRow("c", { state: 3, story: 2, message: -1 }),
  ]);
  assert.deepEqual(describe(build(snapshot)), [
    "1 section failed: a1 a2 b c",
    "2 failure TypeError: x is not a function: a1 a2 b",
    "3 story Components/Button/Primary: a1 a2",
    "3 story Components/Card/Plain: b",
    "2 failure : c",
    "3 story صفحات/قائمة: c",
  ]);
});

test("a group stays together until all of it is decided", () => {
  const groups = [createGroup({ id: "group_1", remainders: ["odd"] })];
  const rows = [
    encodeRow("a", { story: 0, group: 0, decision: 1 }),
    encodeRow("b", { story: 1, group: 0 }),
    encodeRow("odd", { story: 2 }),
  ];
  assert.deepEqual(describe(build(createSnapshot(rows, { groups }))), [
    "1 section changed: a b odd",
    "2 group same change in 2 stories: text changed: a b",
    "3 story Components/Button/Primary: a",
    "3 story Components/Card/Plain: b",
    "3 remainder صفحات/قائمة: ",
    "2 story صفحات/قائمة: odd",
  ]);
});

test("changes that are not from the branch are a section after new and removed stories", () => {
  const groups = [
    createGroup({ id: "group_1", name: "Not from this branch: unstable", isAlike: false }),
    createGroup({ id: "group_2", name: "1 new story", isAlike: false }),
  ];
  const rows = [
    encodeRow("own", { story: 2 }),
    encodeRow("new", { story: 1, state: 1, group: 1 }),
    encodeRow("a", { story: 0, group: 0 }),
  ];
  const lines = describe(build(createSnapshot(rows, { groups })));
  assert.deepEqual(lines.filter((line) => line.startsWith("1 ")), [
    "1 section changed: own",
    "1 section new: new",
    "1 section elsewhere: a",
  ]);
  assert.ok(lines.includes("2 group Not from this branch: unstable: a"));
});

test("a folded group stands for its screenshots, a folded section for none", () => {
  const groups = [createGroup({ id: "group_1" })];
  const rows = [encodeRow("a", { group: 0 }), encodeRow("b", { story: 1, group: 0 })];
  const snapshot = createSnapshot(rows, { groups });
  const folded = build(snapshot, {}, [["group:group_1", true]]);
  assert.deepEqual(folded.map(({ ids }) => ids), [["a", "b"], ["a", "b"]]);
  const [section, ...others] = build(snapshot, {}, [["section:changed", true]]);
  assert.deepEqual([section?.ids, section?.members, others], [[], ["a", "b"], []]);
});

test("a long group is folded at first", () => {
  const groups = [createGroup({ id: "group_1", count: 13 })];
  const rows = Array.from({ length: 13 }, (_, story) => encodeRow(`s${story}`, { story, group: 0 }));
  assert.equal(build(createSnapshot(rows, { groups })).length, 2);
  assert.equal(build(createSnapshot(rows.slice(1), { groups })).length, 14);
});

test("the variants of a story outside groups are one line, light first", () => {
  const rows = [
    encodeRow("dark", { theme: 1 }),
    encodeRow("new", { theme: 0, device: 2, state: 1 }),
    encodeRow("light", { theme: 0 }),
  ];
  assert.deepEqual(describe(build(createSnapshot(rows))).slice(1), [
    "2 story Components/Button/Primary: light new dark",
  ]);
});

test("items keep their keys and places while people decide", () => {
  const snapshot = createSnapshot(encodeMany(50));
  const arrangement = arrange(snapshot.screenshots.values());
  const state = { arrangement, folds: new Map() };
  const before = buildItems(snapshot, DEFAULT_VIEW, state).map(({ key }) => key);
  for (const each of [...snapshot.screenshots.values()].slice(0, 60)) {
    snapshot.screenshots.set(each.id, { ...each, decision: "approved" });
  }
  const extended = extendArrangement(arrangement, snapshot.screenshots.values());
  const after = buildItems(snapshot, DEFAULT_VIEW, { ...state, arrangement: extended });
  assert.deepEqual(after.map(({ key }) => key), before);
  assert.notDeepEqual(build(snapshot).map(({ key }) => key), before);
});

test("a screenshot that was compared meanwhile gets its place", () => {
  const snapshot = createSnapshot([encodeRow("a", { state: 4 })]);
  const arrangement = arrange(snapshot.screenshots.values());
  const [pending] = snapshot.screenshots.values();
  assert.ok(pending);
  snapshot.screenshots.set("a", { ...pending, state: "changed" });
  const extended = extendArrangement(arrangement, snapshot.screenshots.values());
  assert.deepEqual(extended.get("a"), { decision: "", state: "changed" });
});

test("sorting by size and by story takes groups apart", () => {
  const groups = [createGroup({ id: "group_1" })];
  const rows = [
    encodeRow("a", { story: 1, group: 0, ratio: 0.1 }),
    encodeRow("b", { story: 0, group: 0, ratio: 0.3 }),
    encodeRow("c", { story: 0, theme: 1, ratio: 0.2 }),
    encodeRow("d", { story: 3, ratio: 0.5 }),
  ];
  const snapshot = createSnapshot(rows, { groups });
  /** @param {View["sort"]} sort */
  const ids = (sort) => build(snapshot, { sort }).slice(1).map((line) => line.ids.join(" "));
  assert.deepEqual(ids("largest"), ["d", "b c", "a"]);
  assert.deepEqual(ids("story"), ["b c", "a", "d"]);
  assert.deepEqual(ids("group"), ["a b", "a", "b", "c", "d"]);
});

test("the story tree has a line for each folder, joined where there is no choice", () => {
  const rows = [0, 1, 2, 3].map((story) => encodeRow(`s${story}`, { story }));
  const stories = /** @type {[string, string][]} */ ([
    ["a", "Design/Components/Button/Primary"],
    ["b", "Design/Components/Button/Small"],
    ["c", "Design/Components/Card"],
    ["d", "Pages/Start"],
  ]);
  const snapshot = createSnapshot(rows, { stories });
  assert.deepEqual(describe(build(snapshot, { tree: true })), [
    "1 section changed: s0 s1 s2 s3",
    "2 folder Design / Components: s0 s1 s2",
    "3 folder Button: s0 s1",
    "4 story Design/Components/Button/Primary: s0",
    "4 story Design/Components/Button/Small: s1",
    "3 story Design/Components/Card: s2",
    "2 folder Pages: s3",
    "3 story Pages/Start: s3",
  ]);
  const folded = build(snapshot, { tree: true }, [["folder:/Design/Components", true]]);
  assert.deepEqual(describe(folded).slice(1, 3), [
    "2 folder Design / Components: ",
    "2 folder Pages: s3",
  ]);
});

test("unchanged ones are offered while they are not loaded", () => {
  const snapshot = createSnapshot([encodeRow("a")], { unchangedCount: 9 });
  const types = build(snapshot).map(({ type }) => type);
  assert.deepEqual(types, ["section", "story", "section"]);
  assert.equal(build(snapshot, { unchanged: true }).at(-1)?.type, "loading");
  assert.equal(build(snapshot, { state: ["unchanged"] }).at(-1)?.type, "loading");
  assert.equal(build(snapshot, { state: ["changed"] }).length, 2);
  assert.equal(build(snapshot, { decided: ["undecided"] }).length, 2);
  assert.equal(build(snapshot, { decided: ["approved"] }).length, 1);
  assert.equal(build(snapshot, { kind: ["text"] }).length, 2);
});

test("siblings are numbered for screen readers", () => {
  const rows = [encodeRow("a"), encodeRow("b", { story: 1 }), encodeRow("c", { story: 2, state: 1 })];
  const lines = build(createSnapshot(rows));
  assert.deepEqual(
    lines.map(({ level, position, setSize }) => [level, position, setSize]),
    [[1, 1, 2], [2, 1, 2], [2, 2, 2], [1, 2, 2], [2, 1, 1]],
  );
});

test("12,000 screenshots of 2,000 stories are 2,000 lines and their headings", () => {
  const lines = build(createSnapshot(encodeMany(2000)));
  assert.equal(lines.filter(({ type }) => type === "story").length, 2000);
  assert.equal(new Set(lines.map(({ key }) => key)).size, lines.length);
  assert.equal(lines.flatMap(({ type, ids }) => (type === "story" ? ids : [])).length, 12_000);
});

test("an empty list says why", () => {
  const empty = createSnapshot([]);
  assert.equal(explainEmpty(empty, DEFAULT_VIEW), "equal");
  empty.build.status = "processing";
  assert.equal(explainEmpty(empty, DEFAULT_VIEW), "processing");
  empty.build.status = "failed";
  assert.equal(explainEmpty(empty, DEFAULT_VIEW), "failed");
  assert.equal(explainEmpty(createSnapshot([encodeRow("a")]), { ...DEFAULT_VIEW, q: "x" }), "filtered");
});

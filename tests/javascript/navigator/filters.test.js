import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange, countMisplaced } from "../../../src/visual_review/web/static/web/navigator/model/arrangement.js";
import { countFacets, filterScreenshots } from "../../../src/visual_review/web/static/web/navigator/model/filters.js";
import { DEFAULT_VIEW } from "../../../src/visual_review/web/static/web/navigator/model/view.js";
import { createGroup, createSnapshot, encodeRow } from "./index_answers.js";

const SNAPSHOT = createSnapshot(
  [
    encodeRow("light", { story: 0, theme: 0, group: 0 }),
    encodeRow("dark", { story: 0, theme: 1, decision: 1, flags: 8 }),
    encodeRow("new", { story: 1, state: 1, kind: -1 }),
    encodeRow("menu", { story: 2, kind: 1, flags: 2 }),
    encodeRow("size", { story: 3, device: 1 }),
    encodeRow("failed", { story: 1, theme: 1, state: 3, kind: -1, message: 0 }),
  ],
  { groups: [createGroup({ id: "group_1", name: "same change in 2 stories: footer grew" })] },
);

/** @param {Partial<import("../../../src/visual_review/web/static/web/navigator/model/view.js").View>} choice */
function show(choice) {
  const arrangement = arrange(SNAPSHOT.screenshots.values());
  return filterScreenshots(SNAPSHOT, { ...DEFAULT_VIEW, ...choice }, arrangement).map(({ id }) => id);
}

/** @param {Partial<import("../../../src/visual_review/web/static/web/navigator/model/view.js").View>} choice */
function count(choice) {
  const arrangement = arrange(SNAPSHOT.screenshots.values());
  return countFacets(SNAPSHOT, { ...DEFAULT_VIEW, ...choice }, arrangement);
}

test("a view without filters shows all", () => {
  assert.equal(show({}).length, 6);
});

test("values of a facet are alternatives, facets limit each other", () => {
  assert.deepEqual(show({ state: ["new", "failed"] }), ["new", "failed"]);
  assert.deepEqual(show({ state: ["new", "failed"], theme: ["dark"] }), ["failed"]);
  assert.deepEqual(show({ device: ["tablet"] }), ["size"]);
  assert.deepEqual(show({ kind: ["color"] }), ["menu"]);
  assert.deepEqual(show({ unstable: true }), ["dark"]);
  assert.deepEqual(show({ regions: true }), ["menu"]);
  assert.deepEqual(show({ story: "story--0" }), ["light", "dark"]);
});

test("failed ones are neither decided nor undecided", () => {
  assert.deepEqual(show({ decided: ["undecided"] }), ["light", "new", "menu", "size"]);
  assert.deepEqual(show({ decided: ["approved", "rejected"] }), ["dark"]);
});

test("search finds ids, titles, groups and kinds, in any script", () => {
  assert.deepEqual(show({ q: "story--3" }), ["size"]);
  assert.deepEqual(show({ q: "GROSSE" }), []);
  assert.deepEqual(show({ q: "ubersicht" }), ["size"]);
  assert.deepEqual(show({ q: "قائمة" }), ["menu"]);
  assert.deepEqual(show({ q: "footer" }), ["light"]);
  assert.deepEqual(show({ q: "color" }), ["menu"]);
  assert.deepEqual(show({ q: "primary  BUTTON" }), ["light", "dark"]);
});

test("each facet is counted with the other filters", () => {
  const counts = count({ theme: ["dark"], state: ["changed"] });
  assert.deepEqual([...counts.state], [["changed", 1], ["failed", 1]]);
  assert.deepEqual([...counts.theme], [["light", 3], ["dark", 1]]);
  assert.equal(counts.decided.get("approved"), 1);
  assert.equal(counts.decided.get("undecided"), undefined);
  assert.equal(counts.unstable.get("1"), 1);
});

test("a decision takes nothing out of a filtered list, and is counted at once", () => {
  const snapshot = createSnapshot([encodeRow("a"), encodeRow("b")]);
  const arrangement = arrange(snapshot.screenshots.values());
  const view = { ...DEFAULT_VIEW, decided: ["undecided"] };
  const before = snapshot.screenshots.get("a");
  assert.ok(before);
  snapshot.screenshots.set("a", { ...before, decision: "approved" });
  assert.equal(filterScreenshots(snapshot, view, arrangement).length, 2);
  assert.equal(countFacets(snapshot, view, arrangement).decided.get("undecided"), 1);
  assert.equal(countMisplaced(arrangement, snapshot.screenshots.values()), 1);
  const arranged = arrange(snapshot.screenshots.values());
  assert.equal(filterScreenshots(snapshot, view, arranged).length, 1);
  assert.equal(countMisplaced(arranged, snapshot.screenshots.values()), 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boxToShow,
  changesOf,
  contentSize,
  describeChange,
  describeOffset,
  describeState,
  earlierBox,
  stepIndex,
} from "../../../src/visual_review/web/static/web/viewer/change_list.js";

/** @import { ViewerInput } from "../../../src/visual_review/web/static/web/viewer/types.js" */

const CHANGE = { kind: "text", x: 1, y: 2, width: 3, height: 4, pixels: 5, description: "text differs" };
const MOVED = { ...CHANGE, kind: "moved", x: 10, y: 100, movedBy: { x: -5, y: 40 } };

/**
 * @param {Partial<ViewerInput>} part
 * @returns {ViewerInput}
 */
function input(part) {
  const none = { before: null, after: null, diff: null, changes: [], boxes: [], regions: [] };
  return { id: "shot", label: "Button", state: "changed", ...none, ...part };
}

test("changes keep their order, and boxes stand in for them", () => {
  assert.deepEqual(changesOf(input({ changes: [MOVED, CHANGE], boxes: [CHANGE] })), [MOVED, CHANGE]);
  const [box] = changesOf(input({ boxes: [{ x: 1, y: 2, width: 3, height: 4 }] }));
  assert.equal(box?.kind, "pixels");
  assert.deepEqual(changesOf(input({})), []);
});

test("the content is as large as both sides laid on top of each other", () => {
  const before = { url: "a", width: 100, height: 900 };
  const after = { url: "b", width: 120, height: 800 };
  assert.deepEqual(contentSize(input({ before, after })), { width: 120, height: 900 });
  assert.deepEqual(contentSize(input({ before })), { width: 100, height: 900 });
  assert.deepEqual(contentSize(input({})), { width: 1, height: 1 });
});

test("moved content was elsewhere, and both places are shown if there is room", () => {
  assert.deepEqual(earlierBox(MOVED), { x: 15, y: 60, width: 3, height: 4 });
  const both = { x: 10, y: 60, width: 8, height: 44 };
  assert.deepEqual(boxToShow(MOVED, { width: 50, height: 50 }), both);
  assert.deepEqual(boxToShow(MOVED, { width: 50, height: 30 }), MOVED);
});

test("how far content moved is said in directions", () => {
  assert.equal(describeOffset({ x: -5, y: 40 }), "40 px down, 5 px left");
  assert.equal(describeOffset({ x: 1, y: -2 }), "2 px up, 1 px right");
  assert.equal(describeOffset({ x: 0, y: 0 }), "");
});

test("a change is described by what happened and where", () => {
  assert.equal(describeChange(CHANGE), "text differs · 3 × 4 px at 1, 2");
  const silent = { ...MOVED, description: "" };
  assert.equal(describeChange(silent), "moved 40 px down, 5 px left · 3 × 4 px at 10, 100");
  const faded = { ...CHANGE, contrast: { before: 10, after: 4.54 } };
  assert.match(describeChange(faded), /contrast 10.0 to 4.5/);
  const named = { ...faded, description: "text changed, contrast 10.0 to 4.5" };
  assert.equal(describeChange(named).match(/contrast/g)?.length, 1);
});

test("a screenshot without changed areas says why", () => {
  assert.equal(describeState(input({ state: "new" })), "All of it is new.");
  assert.equal(describeState(input({ state: "changed" })), "No changed area is known.");
});

test("after the last change comes the first", () => {
  assert.equal(stepIndex(2, 3, 1), 0);
  assert.equal(stepIndex(0, 3, -1), 2);
  assert.equal(stepIndex(-1, 3, 1), 0);
  assert.equal(stepIndex(-1, 3, -1), 2);
  assert.equal(stepIndex(0, 0, 1), -1);
});

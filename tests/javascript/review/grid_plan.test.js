import assert from "node:assert/strict";
import { test } from "node:test";

import { frameOf, planGrid } from "../../../src/visual_review/web/static/web/review/grid/grid_plan.js";

/** @import { Change, Details } from "../../../src/visual_review/web/static/web/review/types.js" */

const WIDTH = 430;

/**
 * @param {Partial<Change>[]} changes
 * @param {{width: number, height: number, isNew?: boolean}} [image]
 * @returns {Details}
 */
function member(changes, { width, height, isNew = false } = { width: 1280, height: 2000 }) {
  const usual = { x: 0, y: 0, width: 100, height: 40, kind: "color", pixels: 1, description: "" };
  const side = { url: "a", width, height };
  const images = { before: isNew ? null : side, after: side, diff: null };
  return /** @type {Details} */ (/** @type {unknown} */ ({ images, boxes: [], changes: changes.map((each) => ({ ...usual, ...each })) }));
}

test("small changes are side by side and enlarged, a header is one above the other", () => {
  const small = planGrid([member([{ y: 500 }]), member([{ y: 900 }])], WIDTH);
  assert.deepEqual([small.isStacked, small.scale > 1], [false, true]);
  const header = planGrid([member([{ width: 1280, height: 56 }])], WIDTH);
  assert.deepEqual([header.isStacked, header.scale], [true, WIDTH / (1280 + 32)]);
});

test("all that changed is in the frame, at one scale for all members", () => {
  const members = [member([{ y: 500 }, { y: 560 }]), member([{ x: 1200, y: 1980, width: 80, height: 20 }])];
  const plan = planGrid(members, WIDTH);
  for (const each of members) {
    const { box, isComplete } = frameOf(each, plan);
    assert.ok(isComplete);
    assert.ok(box.x >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 2000);
  }
});

test("what does not fit is shown in part, and is not taken for seen", () => {
  const large = member([{ width: 1280, height: 1500 }]);
  assert.equal(frameOf(large, planGrid([large], WIDTH)).isComplete, false);
  const text = member([{ width: 1100, height: 100, kind: "text" }]);
  assert.equal(frameOf(text, planGrid([text], WIDTH)).isComplete, false);
});

test("of a new screenshot all is shown, if it fits", () => {
  const component = member([], { width: 200, height: 100, isNew: true });
  const plan = planGrid([component], WIDTH);
  assert.equal(frameOf(component, plan).isComplete, true);
  const page = member([], { width: 1280, height: 5000, isNew: true });
  assert.equal(frameOf(page, planGrid([page], WIDTH)).isComplete, false);
});

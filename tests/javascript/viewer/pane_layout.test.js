import assert from "node:assert/strict";
import { test } from "node:test";

import {
  describeSizes,
  formatSize,
  hasBothSides,
  haveSizesChanged,
  isStacked,
  planPanes,
} from "../../../src/visual_review/web/static/web/viewer/pane_layout.js";
import { sidesToLoad } from "../../../src/visual_review/web/static/web/viewer/sources.js";
import { MODES } from "../../../src/visual_review/web/static/web/viewer/view_state.js";

/** @import { ViewerInput } from "../../../src/visual_review/web/static/web/viewer/types.js" */

const BEFORE = { url: "/before.png", width: 1440, height: 20_000 };
const AFTER = { url: "/after.png", width: 1440, height: 900 };
const DIFF = { url: "/diff.png", width: 1440, height: 20_000 };

/**
 * @param {Partial<ViewerInput>} part
 * @returns {ViewerInput}
 */
function input(part) {
  const none = { before: null, after: null, diff: null, changes: [], boxes: [], regions: [] };
  return { id: "shot", label: "Button", state: "changed", ...none, ...part };
}

const BOTH = input({ before: BEFORE, after: AFTER, diff: DIFF });

test("every mode shows its sides", () => {
  const sides = MODES.map((mode) => planPanes(BOTH, mode, "before").map((pane) => pane.sides));
  assert.deepEqual(sides, [
    [["before"], ["after"]],
    [["before", "after"]],
    [["before", "after"]],
    [["before"]],
    [["diff"]],
  ]);
});

test("without an image of the difference the browser computes it", () => {
  const [pane] = planPanes({ ...BOTH, diff: null }, "difference", "after");
  assert.deepEqual([pane?.sides, pane?.blend], [["before", "after"], "difference"]);
});

test("one side alone says so in every mode", () => {
  for (const mode of MODES) {
    const titles = [input({ after: AFTER }), input({ before: BEFORE }), input({})].map((each) =>
      planPanes(each, mode, "after").map((pane) => pane.title),
    );
    assert.deepEqual(titles, [
      ["New: there is no earlier image"],
      ["Removed: this is the earlier image"],
      ["No image"],
    ]);
  }
  assert.equal(hasBothSides(input({ before: AFTER, after: AFTER })), false);
});

test("only what is needed is loaded", () => {
  const plain = { mode: /** @type {const} */ ("difference"), magnifier: false };
  const plans = planPanes(BOTH, "difference", "after");
  assert.deepEqual(sidesToLoad(BOTH, plans, plain), ["diff"]);
  const withMagnifier = { ...plain, magnifier: true };
  assert.deepEqual(sidesToLoad(BOTH, plans, withMagnifier), ["diff", "after", "before"]);
  const blinking = { ...plain, mode: /** @type {const} */ ("blink") };
  assert.equal(sidesToLoad(BOTH, planPanes(BOTH, "blink", "before"), blinking).length, 2);
});

test("panes are below each other on upright phones and for low, wide images", () => {
  const phone = { width: 390, height: 600 };
  const desktop = { width: 1300, height: 760 };
  assert.equal(isStacked(phone, { width: 390, height: 1200 }), true);
  assert.equal(isStacked({ width: 560, height: 300 }, { width: 390, height: 1200 }), false);
  assert.equal(isStacked(desktop, { width: 1440, height: 900 }), false);
  assert.equal(isStacked(desktop, { width: 1440, height: 300 }), true);
  assert.equal(isStacked(desktop, { width: 400, height: 300 }), false);
});

test("sizes are said once, and both where they differ", () => {
  assert.equal(describeSizes(BOTH, ["before", "after"]), "1,440 × 20,000 → 1,440 × 900");
  assert.equal(describeSizes(BOTH, ["after"]), "1,440 × 900");
  assert.equal(haveSizesChanged(BOTH), true);
  assert.equal(formatSize({ width: 999, height: 1_234_567 }), "999 × 1,234,567");
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { placeTooltip } from "../../../src/visual_review/web/static/web/tooltips.js";

const SIZE = { width: 100, height: 24 };

test("a tooltip is centered above its element", () => {
  const element = { left: 200, top: 100, bottom: 130, width: 40 };
  assert.deepEqual(placeTooltip(element, SIZE, 400), { left: 170, top: 70 });
});

test("without room above it is below", () => {
  const element = { left: 200, top: 10, bottom: 40, width: 40 };
  assert.equal(placeTooltip(element, SIZE, 400).top, 46);
});

test("it never leaves the window, however narrow that is", () => {
  const element = { left: 380, top: 100, bottom: 130, width: 20 };
  assert.equal(placeTooltip(element, SIZE, 400).left, 292);
  assert.equal(placeTooltip({ ...element, left: 0 }, SIZE, 400).left, 8);
  assert.equal(placeTooltip(element, SIZE, 90).left, 8);
});

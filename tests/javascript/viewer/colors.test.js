import assert from "node:assert/strict";
import { test } from "node:test";

import { describeColor, readPixel, toCss } from "../../../src/visual_review/web/static/web/viewer/colors.js";

test("a color is said in hexadecimal, with its opacity", () => {
  assert.equal(describeColor([255, 0, 10, 255]), "#ff000a");
  assert.equal(describeColor([0, 0, 0, 128]), "#000000 50 %");
  assert.equal(describeColor([9, 9, 9, 0]), "transparent");
  assert.equal(describeColor(null), "outside");
  assert.equal(toCss([1, 2, 3, 255]), "rgb(1 2 3 / 1)");
});

test("a pixel is read where it is, and not beyond the edges", () => {
  const data = new Uint8ClampedArray(2 * 2 * 4).map((_, index) => index);
  const image = { data, width: 2, height: 2 };
  assert.deepEqual(readPixel(image, 1, 1), [12, 13, 14, 15]);
  assert.equal(readPixel(image, 2, 0), null);
  assert.equal(readPixel(image, 0, -1), null);
});

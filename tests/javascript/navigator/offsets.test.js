import assert from "node:assert/strict";
import { test } from "node:test";

import { LineOffsets } from "../../../src/visual_review/web/static/web/navigator/model/offsets.js";

const LINES = new LineOffsets([30, 70, 70, 40]);

test("lines begin where the ones before end", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((index) => LINES.top(index)), [0, 30, 100, 170, 210]);
  assert.equal(LINES.height, 210);
});

test("the line at a height is found", () => {
  const found = [0, 29, 30, 99, 100, 209, 500].map((y) => LINES.find(y));
  assert.deepEqual(found, [0, 0, 1, 1, 2, 3, 3]);
});

test("a window shows the lines that it touches", () => {
  assert.deepEqual(LINES.between(0, 29), { first: 0, last: 1 });
  assert.deepEqual(LINES.between(35, 120), { first: 1, last: 3 });
  assert.deepEqual(LINES.between(-50, 10), { first: 0, last: 1 });
  assert.deepEqual(LINES.between(900, 1000), { first: 0, last: 0 });
  assert.deepEqual(new LineOffsets([]).between(0, 100), { first: 0, last: 0 });
});

test("all lines of a long list are found", () => {
  const heights = Array.from({ length: 12_000 }, (_, index) => (index % 7 === 0 ? 30 : 76));
  const lines = new LineOffsets(heights);
  for (const index of heights.keys()) {
    assert.equal(lines.find(lines.top(index)), index);
  }
});

test("scrolling moves no further than needed", () => {
  const shown = { top: 50, height: 100, margin: 10 };
  assert.equal(LINES.scrollTo(0, shown), 0);
  assert.equal(LINES.scrollTo(1, shown), 20);
  assert.equal(LINES.scrollTo(3, shown), 110);
  assert.equal(LINES.scrollTo(1, { top: 10, height: 150, margin: 10 }), 10);
});

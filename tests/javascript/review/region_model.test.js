import assert from "node:assert/strict";
import { test } from "node:test";

import { between, describeEffect, isSlip, move, resize } from "../../../src/visual_review/web/static/web/review/regions/region_model.js";

const IMAGE = { width: 1000, height: 500 };
const REGION = { x: 0.25, y: 0.25, width: 0.5, height: 0.5 };

/** @param {{x: number, y: number, width: number, height: number}} box */
function change(box) {
  return { ...box, kind: "text", pixels: 1, description: "" };
}

test("a region is drawn from any corner, and stays inside of the image", () => {
  assert.deepEqual(between({ x: 0.75, y: 0.5 }, { x: 0.25, y: 0.25 }), { x: 0.25, y: 0.25, width: 0.5, height: 0.25 });
  assert.deepEqual(between({ x: -1, y: 0.5 }, { x: 2, y: 3 }), { x: 0, y: 0.5, width: 1, height: 0.5 });
});

test("a region that is moved keeps its size at the edge, and one that is resized its corner", () => {
  assert.deepEqual(move(REGION, 1, -1), { x: 0.5, y: 0, width: 0.5, height: 0.5 });
  assert.deepEqual(resize(REGION, 1, -1, IMAGE), { x: 0.25, y: 0.25, width: 0.75, height: 0.008 });
});

test("a click is no region", () => {
  assert.ok(isSlip({ x: 0, y: 0, width: 0.003, height: 1 }, IMAGE));
  assert.ok(!isSlip(REGION, IMAGE));
});

test("the effect counts the changes that are all inside, also of several regions together", () => {
  const inside = change({ x: 300, y: 200, width: 10, height: 10 });
  const across = change({ x: 200, y: 200, width: 100, height: 10 });
  assert.equal(describeEffect([inside, across], [REGION], IMAGE), "1 of 2 changes lie inside");
  const left = { x: 0, y: 0, width: 0.25, height: 1 };
  assert.equal(describeEffect([inside, across], [REGION, left], IMAGE), "2 of 2 changes lie inside");
  assert.equal(describeEffect([inside], [], IMAGE), "0 of 1 change lies inside");
});

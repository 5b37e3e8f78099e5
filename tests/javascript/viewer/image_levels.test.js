import assert from "node:assert/strict";
import { test } from "node:test";

import { intersectionOf } from "../../../src/visual_review/web/static/web/viewer/boxes.js";
import {
  cropTo,
  levelFor,
  placeImage,
  sizeAtLevel,
} from "../../../src/visual_review/web/static/web/viewer/image_levels.js";

const PAGE = { width: 1440, height: 20_000 };

test("small scales use copies of half the size, a quarter and so on", () => {
  const levels = [1, 0.7, 0.5, 0.4, 0.25, 0.12, 0.001].map(levelFor);
  assert.deepEqual(levels, [0, 0, 0, 1, 2, 3, 5]);
  assert.deepEqual(sizeAtLevel({ width: 1440, height: 3 }, 3), { width: 180, height: 1 });
});

test("the edges of an image are on pixels of the screen at every scale", () => {
  for (const scale of [0.05, 0.333, 0.6667, 1, 1.5, 3.7, 32]) {
    const place = placeImage(PAGE, { x: 0.25, y: -17.4 }, scale);
    assert.ok(Object.values(place).every(Number.isInteger));
  }
});

test("only what is visible is drawn, and it is drawn where it belongs", () => {
  const visible = { x: 0, y: 0, width: 700, height: 800 };
  for (const scale of [0.25, 1, 3.7, 32]) {
    const place = placeImage(PAGE, { x: -20, y: -9000 * scale }, scale);
    const part = intersectionOf(place, visible);
    assert.ok(part);
    const { from, to } = cropTo(PAGE, place, part);
    assert.ok(Object.values(from).every(Number.isInteger));
    assert.ok(from.width <= 700 / scale + 4 && from.height <= 800 / scale + 4);
    assert.ok(to.x <= part.x && to.x + to.width >= part.x + part.width);
    assert.ok(Math.abs((to.y - place.y) / scale - from.y) < 0.5);
  }
});

test("an intersection is what two boxes share", () => {
  const box = { x: 0, y: 0, width: 10, height: 10 };
  const shared = { x: 5, y: 0, width: 5, height: 5 };
  assert.deepEqual(intersectionOf(box, { x: 5, y: -5, width: 10, height: 10 }), shared);
  assert.equal(intersectionOf(box, { x: 10, y: 0, width: 1, height: 1 }), null);
});

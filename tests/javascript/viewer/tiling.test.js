import assert from "node:assert/strict";
import { test } from "node:test";

import { TILE, intersectionOf, levelFor, sizeAtLevel, tilesOf } from "../../../src/visual_review/web/static/web/viewer/tiling.js";
import { placeTile } from "../../../src/visual_review/web/static/web/viewer/tiled_image.js";

test("tiles cover an image exactly, and none is too large for a texture", () => {
  for (const size of [
    { width: 1440, height: 20_000 },
    { width: 9000, height: 50 },
    { width: 5000, height: 5000 },
  ]) {
    const tiles = tilesOf(size);
    const area = tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0);
    assert.equal(area, size.width * size.height);
    assert.ok(tiles.every((tile) => tile.width <= TILE && tile.height <= TILE));
  }
});

test("an ordinary screenshot is one tile", () => {
  assert.equal(tilesOf({ width: 1440, height: 4096 }).length, 1);
});

test("neighbors meet on a pixel of the screen at every scale", () => {
  const [first, second] = tilesOf({ width: 1440, height: 20_000 });
  assert.ok(first && second);
  for (const scale of [0.05, 0.333, 0.6667, 1, 1.5, 3.7, 32]) {
    const origin = { x: 0.25, y: -17.4 };
    const above = placeTile(first, origin, scale);
    const below = placeTile(second, origin, scale);
    assert.equal(above.y + above.height, below.y);
    assert.ok(Number.isInteger(below.y));
  }
});

test("small scales use copies of half the size, a quarter and so on", () => {
  assert.deepEqual([1, 0.7, 0.5, 0.4, 0.25, 0.12, 0.001].map(levelFor), [0, 0, 0, 1, 2, 3, 5]);
  assert.deepEqual(sizeAtLevel({ width: 1440, height: 3 }, 3), { width: 180, height: 1 });
});

test("an intersection is what two boxes share", () => {
  const box = { x: 0, y: 0, width: 10, height: 10 };
  assert.deepEqual(intersectionOf(box, { x: 5, y: -5, width: 10, height: 10 }), {
    x: 5,
    y: 0,
    width: 5,
    height: 5,
  });
  assert.equal(intersectionOf(box, { x: 10, y: 0, width: 1, height: 1 }), null);
});

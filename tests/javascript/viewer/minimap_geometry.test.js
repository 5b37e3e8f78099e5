import assert from "node:assert/strict";
import { test } from "node:test";

import {
  describeRows,
  imagePointOf,
  marksOnMap,
  needsMinimap,
  visibleOnMap,
  widthOfMap,
} from "../../../src/visual_review/web/static/web/viewer/minimap_geometry.js";

const VIEW = { width: 720, height: 500 };
const PAGE = { width: 1440, height: 20_000 };
const MAP = { width: 40, height: 500 };
const CHANGE = { kind: "text", pixels: 1, description: "", x: 0, y: 10_000, width: 2, height: 2 };

test("only tall images have a map, at every zoom", () => {
  assert.equal(needsMinimap(VIEW, PAGE), true);
  assert.equal(needsMinimap(VIEW, { width: 1440, height: 900 }), false);
});

test("the map has the shape of the image, between a finger's width and a part of the stage", () => {
  assert.equal(widthOfMap(PAGE, 500, 1000), 36);
  assert.equal(widthOfMap(PAGE, 100, 1000), 24);
  assert.equal(widthOfMap({ width: 1440, height: 2000 }, 500, 1000), 80);
  assert.equal(widthOfMap({ width: 1440, height: 2000 }, 500, 360), 29);
});

test("what is visible is on the map, however small", () => {
  const box = visibleOnMap({ zoom: 0.5, x: 720, y: 10_000 }, VIEW, PAGE, MAP);
  assert.deepEqual(box, { x: 0, y: 237.5, width: 40, height: 25 });
  assert.equal(visibleOnMap({ zoom: 32, x: 720, y: 10_000 }, VIEW, PAGE, MAP).height, 3);
});

test("a click on a change of the map leads to it", () => {
  const [mark] = marksOnMap([CHANGE], PAGE, MAP);
  assert.ok(mark && mark.height >= 3);
  const point = imagePointOf({ x: mark.x, y: mark.y }, PAGE, MAP);
  assert.deepEqual(point, { x: 0, y: 10_000 });
  assert.deepEqual(imagePointOf({ x: -5, y: 9999 }, PAGE, MAP), { x: 0, y: 20_000 });
});

test("the visible rows are said in words", () => {
  const text = describeRows({ zoom: 0.5, x: 720, y: 300 }, VIEW, PAGE);
  assert.equal(text, "Rows 0 to 800 of 20000");
});

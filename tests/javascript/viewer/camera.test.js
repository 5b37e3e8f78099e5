import assert from "node:assert/strict";
import { test } from "node:test";

import {
  between,
  clampCamera,
  edgesOf,
  formatZoom,
  originInView,
  panBy,
  stepZoom,
  toImage,
  visibleBox,
  zoomAt,
  zoomToAll,
  zoomToWidth,
} from "../../../src/visual_review/web/static/web/viewer/camera.js";

const VIEW = { width: 616, height: 416 };
const PAGE = { width: 1200, height: 4000 };

test("the whole width is visible at the zoom for it, and no image is enlarged", () => {
  assert.equal(zoomToWidth(VIEW, PAGE), 0.5);
  assert.equal(zoomToWidth(VIEW, { width: 100, height: 100 }), 1);
  assert.equal(zoomToAll(VIEW, PAGE), 0.1);
});

test("what is under the pointer stays there when the zoom changes", () => {
  const camera = { zoom: 0.5, x: 600, y: 1000 };
  for (const point of [{ x: 0, y: 0 }, { x: 308, y: 208 }, { x: 600, y: 17 }]) {
    const before = toImage(camera, VIEW, point);
    const after = toImage(zoomAt(camera, VIEW, point, 3), VIEW, point);
    assert.ok(Math.abs(before.x - after.x) < 1e-9);
    assert.ok(Math.abs(before.y - after.y) < 1e-9);
  }
});

test("the camera stays on the image, with a margin, and centers what is smaller than the view", () => {
  const far = clampCamera({ zoom: 1, x: 99_999, y: -99_999 }, VIEW, PAGE);
  const box = visibleBox(far, VIEW);
  assert.equal(box.x + box.width, PAGE.width + 8);
  assert.equal(box.y, -8);
  const small = clampCamera({ zoom: 1, x: 0, y: 0 }, VIEW, { width: 100, height: 50 });
  assert.deepEqual(small, { zoom: 1, x: 50, y: 25 });
});

test("zooming out ends where all is visible, zooming in at 3,200 %", () => {
  assert.equal(clampCamera({ zoom: 0.001, x: 0, y: 0 }, VIEW, PAGE).zoom, 0.1);
  assert.equal(clampCamera({ zoom: 99, x: 0, y: 0 }, VIEW, PAGE).zoom, 32);
});

test("a pan moves the content by pixels of the screen", () => {
  assert.deepEqual(panBy({ zoom: 2, x: 100, y: 100 }, 20, -10), { zoom: 2, x: 90, y: 105 });
});

test("steps of the zoom lead to the usual ones", () => {
  assert.equal(stepZoom(0.47, 1), 0.5);
  assert.equal(stepZoom(0.5, 1), 2 / 3);
  assert.equal(stepZoom(1, -1), 0.75);
  assert.equal(stepZoom(32, 1), 32);
});

test("the first pixel of the image is on a pixel of the screen", () => {
  const camera = { zoom: 1, x: 100.3, y: 50.77 };
  for (const ratio of [1, 1.5, 2]) {
    const origin = originInView(camera, { width: 333, height: 111 }, ratio);
    assert.ok(Number.isInteger(origin.x * ratio));
    assert.ok(Number.isInteger(origin.y * ratio));
  }
});

test("a movement ends exactly where it leads", () => {
  const [from, to] = [
    { zoom: 0.5, x: 0, y: 0 },
    { zoom: 2, x: 100, y: 300 },
  ];
  assert.deepEqual(between(from, to, 1), to);
  assert.deepEqual(between(from, to, 0), from);
  const middle = between(from, to, 0.5);
  assert.ok(middle.zoom > 1 && middle.zoom < 2);
});

test("the zoom is said in percent", () => {
  assert.equal(formatZoom(1), "100 %");
  assert.equal(formatZoom(2 / 3), "67 %");
  assert.equal(formatZoom(0.0412), "4.1 %");
});

test("a swipe is a pan as long as there is more to show in its direction", () => {
  const at = (/** @type {number} */ x) =>
    edgesOf(clampCamera({ zoom: 1, x, y: 100 }, VIEW, PAGE), VIEW, PAGE);
  assert.deepEqual(at(0), { left: true, right: false });
  assert.deepEqual(at(600), { left: false, right: false });
  assert.deepEqual(at(9999), { left: false, right: true });
  const whole = clampCamera({ zoom: 0.5, x: 0, y: 0 }, VIEW, PAGE);
  assert.deepEqual(edgesOf(whole, VIEW, PAGE), { left: true, right: true });
});

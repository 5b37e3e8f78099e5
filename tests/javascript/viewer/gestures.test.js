import assert from "node:assert/strict";
import { test } from "node:test";

import { pinch, swipeDirection, wheelDistance, zoomFactor } from "../../../src/visual_review/web/static/web/viewer/gestures.js";

test("a wheel that counts in lines is as fast as one that counts in pixels", () => {
  const turn = { deltaX: 0, deltaY: 3, deltaMode: 1, shiftKey: false };
  assert.deepEqual(wheelDistance(turn), { x: 0, y: 48 });
  assert.deepEqual(wheelDistance({ ...turn, deltaMode: 0 }), { x: 0, y: 3 });
});

test("shift turns the wheel sideways, once", () => {
  const turn = { deltaX: 0, deltaY: 10, deltaMode: 0, shiftKey: true };
  assert.deepEqual(wheelDistance(turn), { x: 10, y: 0 });
  assert.deepEqual(wheelDistance({ ...turn, deltaX: 10, deltaY: 0 }), { x: 10, y: 0 });
});

test("turning back zooms back, and no turn zooms too far", () => {
  assert.ok(Math.abs(zoomFactor(100) * zoomFactor(-100) - 1) < 1e-12);
  assert.ok(zoomFactor(-9999) < 1.5);
  assert.ok(zoomFactor(-2) > 1 && zoomFactor(2) < 1);
});

test("two fingers move and zoom at once", () => {
  const done = pinch(
    [{ x: 0, y: 0 }, { x: 100, y: 0 }],
    [{ x: 0, y: 50 }, { x: 200, y: 50 }],
  );
  assert.deepEqual(done, { factor: 2, center: { x: 100, y: 50 }, dx: 50, dy: 50 });
  const together = pinch([{ x: 5, y: 5 }, { x: 5, y: 5 }], [{ x: 5, y: 5 }, { x: 9, y: 5 }]);
  assert.ok(Number.isFinite(together.factor));
});

test("a swipe is quick, long and level; to the left comes the next one", () => {
  const swipe = { dx: -90, dy: 10, milliseconds: 200 };
  assert.equal(swipeDirection(swipe), 1);
  assert.equal(swipeDirection({ ...swipe, dx: 90 }), -1);
  assert.equal(swipeDirection({ ...swipe, dx: -30 }), 0);
  assert.equal(swipeDirection({ ...swipe, dy: 80 }), 0);
  assert.equal(swipeDirection({ ...swipe, milliseconds: 2000 }), 0);
});

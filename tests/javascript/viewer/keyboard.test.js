import assert from "node:assert/strict";
import { test } from "node:test";

import { describeStatus } from "../../../src/visual_review/web/static/web/viewer/image_loader.js";
import { commandOf, movementOf } from "../../../src/visual_review/web/static/web/viewer/keyboard.js";

const PLAIN = { altKey: false, ctrlKey: false, metaKey: false };

test("letters and combinations belong to the page and to the browser", () => {
  assert.equal(commandOf({ ...PLAIN, key: "ArrowLeft" }), "left");
  assert.equal(commandOf({ ...PLAIN, key: "a" }), undefined);
  assert.equal(commandOf({ ...PLAIN, key: "+", ctrlKey: true }), undefined);
});

test("arrows show what is in their direction", () => {
  const view = { width: 100, height: 100 };
  assert.deepEqual(movementOf("right", view), [-80, 0]);
  assert.deepEqual(movementOf("page-down", view), [0, -90]);
  assert.equal(movementOf("in", view), undefined);
});

test("what is wrong with an image is said in a sentence", () => {
  assert.match(describeStatus(404), /not in the storage/);
  assert.match(describeStatus(401), /signed out/);
  assert.match(describeStatus(502), /502/);
});

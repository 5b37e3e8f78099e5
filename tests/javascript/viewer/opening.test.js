import assert from "node:assert/strict";
import { test } from "node:test";

import { visibleBox } from "../../../src/visual_review/web/static/web/viewer/camera.js";
import { cameraAtTop, cameraFilledBy, moveToChange, openingCamera } from "../../../src/visual_review/web/static/web/viewer/opening.js";
import { PartsInView } from "../../../src/visual_review/web/static/web/viewer/parts_in_view.js";

/** @import { Box, Change } from "../../../src/visual_review/web/static/web/viewer/types.js" */

const VIEW = { width: 700, height: 600 };
const PAGE = { width: 1440, height: 20_000 };

/**
 * @param {Partial<Change>} part
 * @returns {Change}
 */
function change(part) {
  const usual = { kind: "text", pixels: 1, description: "text differs" };
  return { x: 100, y: 100, width: 200, height: 40, ...usual, ...part };
}

/** @param {Change[]} changes */
function parts(...changes) {
  const seen = new PartsInView();
  seen.open("a", changes);
  return seen.partsOf("a");
}

/**
 * @param {Box} outer
 * @param {Box} inner
 */
function contains(outer, inner) {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

test("a page opens at its worst change, legible and with its surroundings", () => {
  for (const y of [0, 300, 9000, 19_960]) {
    const worst = change({ y });
    const camera = openingCamera(VIEW, PAGE, parts(worst));
    assert.ok(camera.zoom >= 0.5 && camera.zoom <= 1);
    assert.ok(contains(visibleBox(camera, VIEW), worst));
  }
});

test("a tiny change is enlarged", () => {
  const camera = openingCamera(VIEW, PAGE, parts(change({ y: 5000, width: 8, height: 8 })));
  assert.equal(camera.zoom, 2);
});

test("a change larger than the view opens at its beginning", () => {
  const worst = change({ x: 0, y: 4000, width: 1440, height: 9000 });
  const camera = openingCamera(VIEW, PAGE, parts(worst));
  const box = visibleBox(camera, VIEW);
  assert.equal(camera.zoom, 0.5);
  assert.ok(box.y < worst.y && box.y > worst.y - 100);
  assert.ok(box.x <= 0);
});

test("what is legible as a whole is shown as a whole", () => {
  const content = { width: 1000, height: 700 };
  const camera = openingCamera(VIEW, content, parts(change({ x: 800, y: 600, width: 150, height: 60 })));
  assert.ok(contains(visibleBox(camera, VIEW), { x: 0, y: 0, ...content }));
});

test("a small component is enlarged by a whole factor", () => {
  const camera = openingCamera(VIEW, { width: 120, height: 40 }, parts(change({ x: 0, y: 0 })));
  assert.deepEqual(camera, { zoom: 4, x: 60, y: 20 });
});

test("without a change, a page opens at its full width from the top", () => {
  const camera = openingCamera(VIEW, PAGE, []);
  assert.deepEqual(camera, cameraAtTop(VIEW, PAGE));
  assert.ok(Math.abs(visibleBox(camera, VIEW).y + 8 / camera.zoom) < 1e-9);
});

test("of moved content both places are shown, if they fit", () => {
  const near = change({ y: 5000, movedBy: { x: 0, y: 120 } });
  const box = visibleBox(openingCamera(VIEW, PAGE, parts(near)), VIEW);
  assert.ok(contains(box, { ...near, y: 4880, height: 160 }));
  const far = change({ y: 9000, movedBy: { x: 0, y: 8000 } });
  assert.ok(contains(visibleBox(openingCamera(VIEW, PAGE, parts(far)), VIEW), far));
});

test("all parts are in view at first where they are legible together", () => {
  const all = [change({ y: 300, kind: "color" }), change({ x: 900, y: 1500, kind: "faint" })];
  const box = visibleBox(openingCamera(VIEW, PAGE, parts(...all)), VIEW);
  assert.ok(all.every((each) => contains(box, each)));
});

test("else it opens where most parts are", () => {
  const alone = change({ y: 300 });
  const many = [9000, 9200, 9400].map((y) => change({ y }));
  const box = visibleBox(openingCamera(VIEW, PAGE, parts(alone, ...many)), VIEW);
  assert.ok(many.every((each) => contains(box, each)));
});

test("on the way to the next change the zoom stays, if that one is legible and fits", () => {
  const next = change({ y: 700 });
  assert.equal(moveToChange({ zoom: 1.5, x: 0, y: 0 }, VIEW, PAGE, next).zoom, 1.5);
  assert.ok(moveToChange({ zoom: 0.05, x: 0, y: 0 }, VIEW, PAGE, next).zoom >= 0.5);
  assert.ok(moveToChange({ zoom: 16, x: 0, y: 0 }, VIEW, PAGE, next).zoom <= 1);
});

test("a change that fills the view is enlarged by whole factors, and is all visible", () => {
  const small = change({ y: 500, width: 30, height: 20 });
  const camera = cameraFilledBy(VIEW, PAGE, small);
  assert.equal(camera.zoom, 8);
  const large = change({ y: 500, width: 1400, height: 3000 });
  assert.ok(contains(visibleBox(cameraFilledBy(VIEW, PAGE, large), VIEW), large));
});

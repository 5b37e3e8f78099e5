import assert from "node:assert/strict";
import { test } from "node:test";

import { visibleBox } from "../../../src/visual_review/web/static/web/viewer/camera.js";
import { cameraOfRests } from "../../../src/visual_review/web/static/web/viewer/opening.js";
import {
  PartsInView,
  areaOf,
  legibleZoom,
  partsOf,
  subtract,
} from "../../../src/visual_review/web/static/web/viewer/parts_in_view.js";

/** @import { Change } from "../../../src/visual_review/web/static/web/viewer/types.js" */

const VIEW = { width: 700, height: 600 };
const PAGE = { width: 1440, height: 20_000 };

/**
 * @param {Partial<Change>} part
 * @returns {Change}
 */
function change(part) {
  return { x: 0, y: 0, width: 200, height: 100, kind: "color", pixels: 1, description: "", ...part };
}

/** Count the screenfuls until everything was in view. @param {readonly Change[]} parts */
function countScreenfuls(parts) {
  const seen = new PartsInView();
  seen.open("a", parts);
  for (let count = 0; count < 1000; count += 1) {
    const rests = seen.restOf("a");
    if (rests.length === 0) {
      return count;
    }
    const camera = cameraOfRests(VIEW, PAGE, rests);
    assert.ok(seen.look("a", visibleBox(camera, VIEW), camera.zoom), "each screenful shows more");
  }
  throw new Error("There is no end.");
}

test("a box is divided into what is outside of another one", () => {
  const box = { x: 0, y: 0, width: 100, height: 100 };
  assert.equal(areaOf(subtract(box, { x: 20, y: 30, width: 10, height: 40 })), 10_000 - 400);
  assert.deepEqual(subtract(box, { x: 200, y: 0, width: 10, height: 10 }), [box]);
  assert.deepEqual(subtract(box, { x: -5, y: -5, width: 200, height: 200 }), []);
});

test("text needs a larger zoom than other content, and a tiny part a larger one", () => {
  assert.equal(legibleZoom(change({ kind: "text" })), 0.5);
  assert.equal(legibleZoom(change({ kind: "moved" })), 0.3);
  assert.equal(legibleZoom(change({ width: 4, height: 2 })), 1);
});

test("what is too small to read is not seen", () => {
  const seen = new PartsInView();
  seen.open("a", [change({ kind: "text" }), change({ y: 500 })]);
  const all = { x: 0, y: 0, ...PAGE };
  assert.equal(seen.look("a", all, 0.2), false);
  assert.equal(seen.look("a", all, 0.3), true);
  assert.deepEqual(seen.count("a"), { seen: 1, total: 2 });
  assert.equal(seen.look("a", all, 0.5), true);
  assert.equal(seen.look("a", all, 0.5), false);
  assert.deepEqual(seen.restOf("a"), []);
});

test("what was seen stays seen when the same parts are opened again, and not when others are", () => {
  const seen = new PartsInView();
  seen.open("a", [change({})]);
  seen.look("a", { x: 0, y: 0, width: 100, height: 100 }, 1);
  seen.open("a", [change({ description: "the same place" })]);
  assert.deepEqual(seen.restOf("a")[0]?.boxes, [{ x: 100, y: 0, width: 100, height: 100 }]);
  seen.open("a", [change({ x: 1 })]);
  assert.equal(areaOf(seen.restOf("a")[0]?.boxes ?? []), 20_000);
});

test("of moved content both places are to be seen", () => {
  const seen = new PartsInView();
  seen.open("a", [change({ y: 5000, movedBy: { x: 0, y: 4000 } })]);
  seen.look("a", { x: 0, y: 4900, width: 800, height: 400 }, 1);
  assert.deepEqual(seen.count("a"), { seen: 0, total: 1 });
  seen.look("a", { x: 0, y: 900, width: 800, height: 400 }, 1);
  assert.deepEqual(seen.count("a"), { seen: 1, total: 1 });
});

test("a few screenfuls show everything", () => {
  assert.equal(countScreenfuls([change({}), change({ x: 1200, y: 900 })]), 1);
  assert.equal(countScreenfuls(Array.from({ length: 50 }, (_, at) => change({ x: (at % 5) * 250, y: at * 20 }))), 1);
  assert.equal(countScreenfuls([change({}), change({ y: 10_000 }), change({ y: 10_500 })]), 2);
  const page = change({ width: 1440, height: 20_000 });
  assert.ok(countScreenfuls([page]) <= 11);
  const column = Array.from({ length: 50 }, (_, at) => change({ y: at * 390, kind: "text" }));
  assert.ok(countScreenfuls(column) <= 25);
});

test("all of a new screenshot is to be seen, and nothing of an unchanged one", () => {
  const input = { id: "a", label: "", state: "new", before: null, after: null, diff: null, changes: [], boxes: [], regions: [] };
  assert.equal(partsOf([], input, PAGE)[0]?.height, 20_000);
  assert.deepEqual(partsOf([], { ...input, state: "unchanged" }, PAGE), []);
});

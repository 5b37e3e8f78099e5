import assert from "node:assert/strict";
import { test } from "node:test";

import { changeAt, planArrows, planMarks } from "../../../src/visual_review/web/static/web/viewer/marks.js";

const TEXT = { kind: "text", x: 10, y: 20, width: 30, height: 10, pixels: 1, description: "" };
const MOVED = { ...TEXT, kind: "moved", y: 120, movedBy: { x: 0, y: 100 } };
const FAINT = { ...TEXT, kind: "faint" };

test("outlines leave room around what changed, at every zoom", () => {
  const [mark] = planMarks([TEXT], [], "after", 2);
  assert.deepEqual(mark?.box, { x: 17, y: 37, width: 66, height: 26 });
});

test("moved content is outlined where it was and where it is", () => {
  const types = (/** @type {"before" | "after" | "both"} */ side) =>
    planMarks([MOVED], [], side, 1).map((mark) => [mark.type, mark.box.y]);
  assert.deepEqual(types("before"), [["moved-from", 17]]);
  assert.deepEqual(types("after"), [["moved-to", 117]]);
  assert.deepEqual(types("both"), [["moved-from", 17], ["moved-to", 117]]);
});

test("an arrow leads from where content was, if there is room for one", () => {
  const [arrow] = planArrows([MOVED], "after", 1);
  assert.deepEqual([arrow?.from, arrow?.to], [{ x: 25, y: 25 }, { x: 25, y: 125 }]);
  assert.deepEqual(planArrows([MOVED], "before", 1), []);
  assert.deepEqual(planArrows([MOVED], "after", 0.1), []);
});

test("faint changes and regions differ from others by more than color", () => {
  const marks = planMarks([TEXT, FAINT], [TEXT], "after", 1);
  assert.deepEqual(marks.map((mark) => [mark.type, mark.index]), [
    ["region", -1],
    ["change", 0],
    ["faint", 1],
  ]);
});

test("a click finds the innermost change, also slightly next to it", () => {
  const around = { ...TEXT, x: 0, y: 0, width: 100, height: 100 };
  assert.equal(changeAt([around, TEXT], { x: 15, y: 25 }, 0), 1);
  assert.equal(changeAt([around, TEXT], { x: 90, y: 90 }, 0), 0);
  assert.equal(changeAt([TEXT], { x: 43, y: 25 }, 5), 0);
  assert.equal(changeAt([TEXT], { x: 90, y: 25 }, 5), -1);
});

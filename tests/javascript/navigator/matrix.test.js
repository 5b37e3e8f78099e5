import assert from "node:assert/strict";
import { test } from "node:test";

import { buildCells, describeOnly, variantsOf } from "../../../src/visual_review/web/static/web/navigator/model/matrix.js";
import { createSnapshot, encodeRow } from "./index_answers.js";

/** @param {(string | number)[][]} rows */
function screenshots(rows) {
  return [...createSnapshot(rows).screenshots.values()];
}

const ALL = ["light", "dark"].flatMap((theme) =>
  ["phone", "tablet", "desktop"].map((device) => `${theme} ${device}`),
);

test("a story has a cell for each theme and device of its variants, light ones first", () => {
  const story = screenshots([encodeRow("a", { theme: 1, device: 2 }), encodeRow("b", { device: 1 })]);
  const cells = buildCells(story, ["a"], ALL);
  assert.deepEqual(
    cells.map(({ theme, device, screenshot, belongs }) => [theme, device, screenshot?.id, belongs]),
    [
      ["light", "phone", undefined, false],
      ["light", "tablet", "b", false],
      ["light", "desktop", undefined, false],
      ["dark", "phone", undefined, false],
      ["dark", "tablet", undefined, false],
      ["dark", "desktop", "a", true],
    ],
  );
});

test("what a story does not have has no cell", () => {
  const story = screenshots([encodeRow("a", { theme: 0, device: 2 })]);
  assert.deepEqual(variantsOf(story, 0b001000), ["light desktop", "dark phone"]);
  assert.equal(buildCells(story, ["a"], ["light desktop"]).length, 1);
  assert.equal(buildCells(story, ["a"], ["light desktop", "dark phone"]).length, 4);
});

test("what differing variants have in common is named", () => {
  const dark = { theme: 1 };
  const onlyDark = screenshots([
    encodeRow("a", { ...dark, device: 0 }),
    encodeRow("b", { ...dark, device: 2 }),
    encodeRow("c", { state: 5 }),
  ]);
  assert.equal(describeOnly(onlyDark, ALL), "only dark");
  assert.equal(describeOnly(onlyDark.slice(0, 1), ALL), "only dark phone");
  assert.equal(describeOnly(screenshots([encodeRow("a"), encodeRow("b", dark)]), ALL), "only phone");
  const both = [encodeRow("a", { ...dark, device: 1 }), encodeRow("b")];
  assert.equal(describeOnly(screenshots(both), ALL), "");
});

test("nothing is special about the only theme of a build", () => {
  const rows = [encodeRow("a", { theme: 1 }), encodeRow("b", { theme: 1, device: 2 })];
  assert.equal(describeOnly(screenshots(rows), variantsOf(screenshots(rows), 0)), "");
  assert.equal(describeOnly(screenshots(rows.slice(1)), ["dark phone", "dark desktop"]), "only desktop");
});

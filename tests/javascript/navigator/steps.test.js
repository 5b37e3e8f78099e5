import assert from "node:assert/strict";
import { test } from "node:test";

import { findStep, findUndecided } from "../../../src/visual_review/web/static/web/navigator/model/steps.js";
import { createSnapshot, encodeRow } from "./index_answers.js";

const IDS = ["a", "b", "c", "d"];

test("a step ends at the ends of the list", () => {
  assert.equal(findStep(IDS, null, 1), "a");
  assert.equal(findStep(IDS, "a", 1), "b");
  assert.equal(findStep(IDS, "a", -1), "a");
  assert.equal(findStep(IDS, "d", 1), "d");
  assert.equal(findStep(IDS, "gone", 1), "a");
  assert.equal(findStep([], "a", 1), null);
});

test("the next one that needs a decision is found, round the end", () => {
  const { screenshots } = createSnapshot([
    encodeRow("a"),
    encodeRow("b", { decision: 1 }),
    encodeRow("c", { state: 3 }),
    encodeRow("d", { state: 2 }),
  ]);
  assert.equal(findUndecided(IDS, null, screenshots), "a");
  assert.equal(findUndecided(IDS, "a", screenshots), "d");
  assert.equal(findUndecided(IDS, "d", screenshots), "a");
  assert.equal(findUndecided(IDS, "a", screenshots, -1), "d");
  assert.equal(findUndecided(IDS, null, screenshots, -1), "d");
  assert.equal(findUndecided(["b", "c"], "b", screenshots), null);
  assert.equal(findUndecided(["a"], "a", screenshots), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { areSizesKnown, inputFromAttributes, withMeasuredSizes } from "../../../src/visual_review/web/static/web/viewer/attributes.js";

/** @param {Record<string, string>} attributes */
function read(attributes) {
  return inputFromAttributes((name) => attributes[name] ?? null);
}

test("attributes describe a screenshot", () => {
  const input = read({ label: "Home", before: "a.png", "before-size": "10x20", after: "b.png" });
  assert.deepEqual(input?.before, { url: "a.png", width: 10, height: 20 });
  assert.equal(input?.state, "changed");
  assert.equal(read({ after: "b.png" })?.state, "new");
  assert.equal(read({ before: "a.png" })?.state, "removed");
  assert.equal(read({ label: "Nothing" }), null);
});

test("sizes that are not given are those of the images", () => {
  const input = read({ before: "a.png", "before-size": "10 × 20", after: "b.png", "after-size": "?" });
  assert.ok(input);
  assert.equal(areSizesKnown(input), false);
  const measured = withMeasuredSizes(input, () => ({ width: 7, height: 8 }));
  assert.equal(areSizesKnown(measured), true);
  assert.deepEqual(measured.after, { url: "b.png", width: 7, height: 8 });
  assert.deepEqual(measured.before, input.before);
});

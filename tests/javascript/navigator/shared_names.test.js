import assert from "node:assert/strict";
import { test } from "node:test";

import { describeShared, findShared } from "../../../src/visual_review/web/static/web/navigator/model/shared_names.js";

test("folders and the beginning of names that all have in common are found", () => {
  const shared = findShared(["Lab/Button/smoke-render-story-Text", "Lab/Card/smoke-render-story-Large"]);
  assert.deepEqual(shared, { folders: ["Lab"], prefix: "smoke-render-story-" });
  assert.equal(describeShared(shared), "Lab / smoke-render-story-…");
});

test("a word is not cut, and little is not worth it", () => {
  assert.equal(findShared(["Lab/Primary", "Lab/Prime"]).prefix, "");
  assert.equal(findShared(["a-b", "a-c"]).prefix, "");
  assert.equal(describeShared(findShared(["Button/Text", "Card/Large"])), "");
});

test("one story keeps all of its name, and so does the shortest one", () => {
  assert.deepEqual(findShared(["Lab/Button/Text"]), { folders: [], prefix: "" });
  assert.deepEqual(findShared(["Lab/smoke-test-", "Lab/smoke-test-b"]), { folders: ["Lab"], prefix: "smoke-" });
});

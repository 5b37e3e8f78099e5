import assert from "node:assert/strict";
import { test } from "node:test";

import { ReviewStore } from "../../../src/visual_review/web/static/web/review/store.js";

test("visible ids are in the order of the list, each once", () => {
  const store = new ReviewStore();
  store.setItems([
    { key: "group-1", type: "group", ids: ["b", "a"], level: 1 },
    { key: "shot-b", type: "screenshot", ids: ["b"], level: 2 },
    { key: "shot-c", type: "screenshot", ids: ["c"], level: 1 },
  ]);
  assert.deepEqual(store.visibleIds(), ["b", "a", "c"]);
});

test("choosing the current screenshot again is no event", () => {
  const store = new ReviewStore();
  let count = 0;
  store.addEventListener("current", () => {
    count += 1;
  });
  store.setCurrent("a");
  store.setCurrent("a");
  assert.equal(count, 1);
});

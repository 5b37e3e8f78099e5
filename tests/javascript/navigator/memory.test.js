import assert from "node:assert/strict";
import { test } from "node:test";

import { LeastRecentlyUsed } from "../../../src/visual_review/web/static/web/navigator/model/lru.js";
import { foldText } from "../../../src/visual_review/web/static/web/navigator/model/search.js";
import { readThumbnails } from "../../../src/visual_review/web/static/web/navigator/model/thumbnail_answer.js";

test("what was used least recently is released", () => {
  /** @type {string[]} */
  const released = [];
  const memory = new LeastRecentlyUsed(2, (value) => released.push(value));
  memory.set("a", "A");
  memory.set("b", "B");
  memory.get("a");
  memory.set("c", "C");
  assert.deepEqual(released, ["B"]);
  memory.set("a", "A2");
  assert.deepEqual(released, ["B", "A"]);
  memory.clear();
  assert.deepEqual([released, memory.size], [["B", "A", "C", "A2"], 0]);
});

test("thumbnails of one answer are taken apart", () => {
  const header = new TextEncoder().encode(JSON.stringify([["shot_1", 3], ["shot_2", 0], ["shot_3", 2]]));
  const answer = new Uint8Array(4 + header.length + 5);
  new DataView(answer.buffer).setUint32(0, header.length);
  answer.set(header, 4);
  answer.set([1, 2, 3, 4, 5], 4 + header.length);
  const files = readThumbnails(answer.buffer);
  assert.deepEqual([...files.keys()], ["shot_1", "shot_2", "shot_3"]);
  assert.deepEqual([...(files.get("shot_1") ?? [])], [1, 2, 3]);
  assert.equal(files.get("shot_2"), null);
  assert.deepEqual([...(files.get("shot_3") ?? [])], [4, 5]);
});

test("texts are compared without case and accents", () => {
  assert.equal(foldText("ÉCOLE Über"), "ecole uber");
  assert.equal(foldText("İstanbul"), foldText("istanbul"));
  assert.equal(foldText("ﬁle"), "file");
  assert.equal(foldText("한국어"), "한국어");
  assert.equal(foldText("हिन्दी"), "हिन्दी");
});

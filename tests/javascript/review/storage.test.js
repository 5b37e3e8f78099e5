import assert from "node:assert/strict";
import { test } from "node:test";

import { createMemoryStore, keep } from "../../../src/visual_review/web/static/web/review/browser_storage.js";
import { createEntry } from "../../../src/visual_review/web/static/web/review/decision_queue.js";
import { QueueStorage } from "../../../src/visual_review/web/static/web/review/queue_storage.js";
import { createRequestId } from "../../../src/visual_review/web/static/web/review/request_id.js";
import { confirmStep, parseSteps, pushStep, removeStep } from "../../../src/visual_review/web/static/web/review/undo_stack.js";

/** @param {string} requestId @param {number} [madeAt] */
function entry(requestId, madeAt = 0) {
  return createEntry({ requestId, request: { decision: "approved", seen: "1" }, effects: [["a", "approved"]], before: [["a", ""]], label: "a", madeAt });
}

/** @param {QueueStorage} storage @param {number} now */
function adopt(storage, now) {
  return storage.adopt(now).map((each) => each.requestId);
}

test("a reload takes over what it left, in order", () => {
  const stores = { shared: createMemoryStore(), own: createMemoryStore() };
  const page = { buildId: "b", reviewerId: "alice" };
  const first = new QueueStorage(stores, { ...page, loadId: "1" });
  assert.deepEqual(adopt(first, 0), []);
  first.write([entry("2", 20), entry("1", 10)], 100);
  const second = new QueueStorage(stores, { ...page, loadId: "2" });
  assert.deepEqual(adopt(second, 200), ["1", "2"]);
  // Once: a third load finds nothing that the second one has not kept.
  assert.deepEqual(adopt(new QueueStorage(stores, { ...page, loadId: "3" }), 300), []);
});

test("another page's decisions are its own while it lives", () => {
  const shared = createMemoryStore();
  const page = { buildId: "b", reviewerId: "alice" };
  new QueueStorage({ shared, own: createMemoryStore() }, { ...page, loadId: "1" }).write([entry("1")], 1000);
  const other = new QueueStorage({ shared, own: createMemoryStore() }, { ...page, loadId: "2" });
  assert.deepEqual(adopt(other, 5000), []);
  assert.deepEqual(adopt(other, 60_000), ["1"]);
});

test("no one sends another person's decisions, or another build's", () => {
  const stores = { shared: createMemoryStore(), own: createMemoryStore() };
  new QueueStorage(stores, { buildId: "b", reviewerId: "alice", loadId: "1" }).write([entry("1")], 0);
  for (const page of [{ buildId: "b", reviewerId: "bob" }, { buildId: "c", reviewerId: "alice" }]) {
    assert.deepEqual(adopt(new QueueStorage(stores, { ...page, loadId: "2" }), 60_000), []);
  }
});

test("nothing is left once everything is confirmed", () => {
  const stores = { shared: createMemoryStore(), own: createMemoryStore() };
  const storage = new QueueStorage(stores, { buildId: "b", reviewerId: "alice", loadId: "1" });
  storage.write([entry("1")], 0);
  storage.write([], 0);
  assert.equal(stores.shared.length, 0);
});

test("a full storage is no error", () => {
  const store = createMemoryStore();
  store.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  keep(store, "a", "b");
  store.setItem = () => {
    throw new TypeError("a fault");
  };
  assert.throws(() => keep(store, "a", "b"), TypeError);
});

test("undo steps learn their names, and forget what cannot be undone", () => {
  const steps = pushStep(pushStep([], entry("1"), "a"), entry("2"), "b");
  assert.deepEqual(confirmStep(steps, "1", "decision_1", true).map((step) => step.decisionId), ["decision_1", ""]);
  assert.deepEqual(confirmStep(steps, "2", "decision_2", false).map((step) => step.requestId), ["1"]);
  assert.deepEqual(removeStep(steps, "1").map((step) => step.place), ["b"]);
  assert.deepEqual(parseSteps(JSON.stringify(steps)), steps);
  for (const text of [null, "{", "{}", "[1]"]) {
    assert.deepEqual(parseSteps(text), []);
  }
});

test("request ids are UUIDs", () => {
  assert.equal(createRequestId(new Uint8Array(16).fill(255)), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  assert.equal(createRequestId(new Uint8Array(16)), "00000000-0000-4000-8000-000000000000");
  assert.notEqual(createRequestId(), createRequestId());
});

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  EMPTY_QUEUE,
  addEntry,
  confirmEntry,
  createEntry,
  createUndoEntry,
  markAsking,
  markLost,
  markSending,
  markSignedIn,
  markSignedOut,
  nextEntry,
  parseEntries,
  pendingDecisions,
  removeEntry,
  retryDelay,
  serializeEntries,
  settleEntry,
} from "../../../src/visual_review/web/static/web/review/decision_queue.js";

/** @import { Decision } from "../../../src/visual_review/web/static/web/review/types.js" */
/** @import { QueueEntry } from "../../../src/visual_review/web/static/web/review/decision_queue.js" */

/** @param {string} requestId @param {string[]} ids @param {"approved" | "rejected"} [decision] */
function entry(requestId, ids, decision = "approved") {
  return createEntry({
    requestId,
    request: { decision, screenshots: ids, seen: "1" },
    effects: ids.map((id) => [id, decision]),
    before: ids.map((id) => [id, /** @type {Decision} */ ("")]),
    label: ids.join(", "),
    madeAt: 1000,
  });
}

/** @param {QueueEntry} decision @param {string} requestId */
function undo(decision, requestId) {
  return createUndoEntry(decision, requestId, 1000);
}

/** @param {QueueEntry[]} entries */
function queueOf(...entries) {
  return entries.reduce(addEntry, EMPTY_QUEUE);
}

test("one entry is under way at a time, in order", () => {
  let queue = queueOf(entry("1", ["a"]), entry("2", ["b"]));
  assert.equal(nextEntry(queue)?.requestId, "1");
  queue = markSending(queue, "1");
  assert.equal(nextEntry(queue), null);
  queue = settleEntry(queue, "1", "decision_1");
  assert.equal(nextEntry(queue)?.requestId, "2");
});

test("a lost entry is sent again as the same request, each time later", () => {
  let queue = markSending(queueOf(entry("1", ["a"])), "1");
  queue = markLost(queue, "1");
  assert.equal(nextEntry(queue)?.requestId, "1");
  assert.equal(nextEntry(queue)?.attempts, 1);
  assert.deepEqual([0, 1, 2, 3, 9].map((losses) => retryDelay(losses)), [0, 500, 1000, 2000, 15_000]);
  assert.equal(settleEntry(queue, "1", "").losses, 0);
});

test("nothing is sent after the session ended, until someone signed in", () => {
  const queue = markSignedOut(markSending(queueOf(entry("1", ["a"])), "1"), "1");
  assert.equal(nextEntry(queue), null);
  assert.equal(nextEntry(markSignedIn(queue))?.requestId, "1");
});

test("a question holds the queue until it has a response", () => {
  const queue = markAsking(markSending(queueOf(entry("1", ["a"]), entry("2", ["b"])), "1"), "1");
  assert.equal(nextEntry(queue), null);
  const confirmed = confirmEntry(confirmEntry(queue, "1", { confirmed: "finalize", seen: "2" }), "1", { confirmed: "override", seen: "3" });
  assert.deepEqual(nextEntry(confirmed)?.request?.confirmed, ["finalize", "override"]);
  assert.equal(nextEntry(confirmed)?.request?.seen, "3");
  assert.equal(nextEntry(removeEntry(queue, "1"))?.requestId, "2");
});

test("undoing what was never sent sends nothing", () => {
  const decision = entry("1", ["a"]);
  assert.deepEqual(addEntry(queueOf(decision), undo(decision, "2")).entries, []);
});

test("undoing what is under way waits for the server's name of it", () => {
  const decision = entry("1", ["a"]);
  const sending = markSending(queueOf(decision), "1");
  const queue = addEntry(sending, undo(decision, "2"));
  assert.deepEqual([...pendingDecisions(queue)], [["a", ""]]);
  assert.equal(nextEntry(settleEntry(queue, "1", "decision_1"))?.decisionId, "decision_1");
});

test("what was lost may have arrived, so undoing it is sent", () => {
  const decision = entry("1", ["a"]);
  const lost = markLost(markSending(queueOf(decision), "1"), "1");
  assert.equal(addEntry(lost, undo(decision, "2")).entries.length, 2);
});

test("undoing a refused decision is withdrawn with it", () => {
  const decision = entry("1", ["a"]);
  const queue = addEntry(markSending(queueOf(decision), "1"), undo(decision, "2"));
  assert.deepEqual(removeEntry(queue, "1").entries, []);
});

test("the last decision on its way is the one that shows", () => {
  const queue = queueOf(entry("1", ["a", "b"]), entry("2", ["a"], "rejected"));
  assert.deepEqual([...pendingDecisions(queue)], [["a", "rejected"], ["b", "approved"]]);
  assert.deepEqual([...pendingDecisions(removeEntry(queue, "2"))], [["a", "approved"], ["b", "approved"]]);
});

test("a reload goes on with what was not confirmed", () => {
  const queue = markSending(queueOf(entry("1", ["a"]), entry("2", ["b"])), "1");
  const entries = parseEntries(serializeEntries(queue.entries), 2000);
  assert.deepEqual(entries.map((each) => [each.requestId, each.status]), [["1", "waiting"], ["2", "waiting"]]);
  // It may have been sent: undoing it has to be sent as well.
  const [first] = entries;
  assert.ok(first && first.attempts > 0);
});

test("stored text that is not ours, or of another day, is ignored", () => {
  const good = JSON.stringify([entry("1", ["a"])]);
  assert.equal(parseEntries(good, 2000).length, 1);
  assert.deepEqual(parseEntries(good, 1000 + 25 * 60 * 60 * 1000), []);
  for (const text of [null, "", "{", "{}", "[1, null]", '[{"requestId": "1"}]']) {
    assert.deepEqual(parseEntries(text, 2000), [], String(text));
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { createEntry, createUndoEntry } from "../../../src/visual_review/web/static/web/review/decision_queue.js";
import { DecisionSender } from "../../../src/visual_review/web/static/web/review/decision_sender.js";
import { RefusedError, SignedOutError, UnreachableError } from "../../../src/visual_review/web/static/web/review/requests.js";

/** @import { QueueEntry } from "../../../src/visual_review/web/static/web/review/decision_queue.js" */
/** @import { DecisionResult } from "../../../src/visual_review/web/static/web/review/wire.js" */

/** @param {string} requestId */
function entry(requestId) {
  return createEntry({ requestId, request: { decision: "approved", screenshots: [requestId], seen: "1" }, effects: [], before: [], label: requestId, madeAt: 0 });
}

/** Responds to each request with what the test has put into `outcomes`. */
class Server {
  /** @type {QueueEntry[]} */
  received = [];
  /** @type {(Error | null)[]} */
  outcomes = [];
  /** @type {(() => void)[]} */
  delayed = [];
  /** @type {readonly QueueEntry[]} */
  stored = [];

  sender = new DecisionSender({
    post: async (sent) => {
      this.received.push(sent);
      const failure = this.outcomes.shift();
      await Promise.resolve();
      if (failure) {
        throw failure;
      }
      return /** @type {DecisionResult} */ (/** @type {unknown} */ ({ decisionId: `decision_${sent.requestId}` }));
    },
    storage: { write: (entries) => (this.stored = entries) },
    wait: (_, then) => {
      this.delayed.push(then);
      return () => (this.delayed = this.delayed.filter((each) => each !== then));
    },
  });

  sent() {
    return this.received.map((each) => each.requestId).join(" ");
  }
}

function settle() {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** @param {Server} server @param {string} name */
function record(server, name) {
  /** @type {any[]} */
  const details = [];
  server.sender.addEventListener(name, (event) => details.push(/** @type {CustomEvent} */ (event).detail));
  return details;
}

test("decisions are sent one after the other", async () => {
  const server = new Server();
  const confirmed = record(server, "confirmed");
  server.sender.add(entry("1"));
  server.sender.add(entry("2"));
  assert.equal(server.sent(), "1");
  await settle();
  assert.equal(server.sent(), "1 2");
  assert.equal(confirmed.length, 2);
  assert.deepEqual(server.stored, []);
});

test("a lost response is followed by the same request", async () => {
  const server = new Server();
  server.outcomes = [new UnreachableError("gone"), new UnreachableError("gone")];
  server.sender.add(entry("1"));
  server.sender.add(entry("2"));
  await settle();
  assert.equal(server.stored.length, 2);
  server.delayed.shift()?.();
  await settle();
  server.delayed.shift()?.();
  await settle();
  assert.equal(server.sent(), "1 1 1 2");
  assert.deepEqual(server.stored, []);
});

test("while one waits to be sent again, a new one does not overtake it", async () => {
  const server = new Server();
  server.outcomes = [new UnreachableError("gone")];
  server.sender.add(entry("1"));
  await settle();
  server.sender.add(entry("2"));
  await settle();
  assert.equal(server.sent(), "1");
  server.sender.retryNow();
  await settle();
  assert.equal(server.sent(), "1 1 2");
  assert.deepEqual(server.delayed, []);
});

test("after the session ended, everything is kept and sent after signing in", async () => {
  const server = new Server();
  const ended = record(server, "signedout");
  server.outcomes = [new SignedOutError("/sign-in")];
  server.sender.add(entry("1"));
  server.sender.add(entry("2"));
  await settle();
  assert.deepEqual(ended, [{ signInUrl: "/sign-in" }]);
  assert.equal(server.stored.length, 2);
  server.sender.retryNow();
  await settle();
  assert.equal(server.sent(), "1 1 2");
});

test("a refused decision is reported, and the next one goes on", async () => {
  const server = new Server();
  const refused = record(server, "refused");
  server.outcomes = [new RefusedError(409, { error: "This build is approved." })];
  server.sender.add(entry("1"));
  server.sender.add(entry("2"));
  await settle();
  assert.equal(refused[0].entry.requestId, "1");
  assert.equal(refused[0].error.message, "This build is approved.");
  assert.equal(server.sent(), "1 2");
});

test("a question is asked once, and its confirmation is sent", async () => {
  const server = new Server();
  const questions = record(server, "question");
  server.outcomes = [new RefusedError(409, { error: "This approves the build.", needs: "finalize" })];
  server.sender.add(entry("1"));
  server.sender.add(entry("2"));
  await settle();
  assert.equal(questions.length, 1);
  assert.equal(server.sent(), "1");
  server.sender.confirm("1", { confirmed: "finalize", seen: "7" });
  await settle();
  assert.equal(server.sent(), "1 1 2");
  assert.deepEqual(server.received[1]?.request?.confirmed, ["finalize"]);
});

test("undoing what is under way names the decision that the server made", async () => {
  const server = new Server();
  const decision = entry("1");
  server.sender.add(decision);
  server.sender.add(createUndoEntry(decision, "2", 0));
  await settle();
  assert.equal(server.received[1]?.decisionId, "decision_1");
});

test("a reload sends what was left", async () => {
  const server = new Server();
  server.sender.restore([entry("1"), entry("2")]);
  await settle();
  assert.equal(server.sent(), "1 2");
});

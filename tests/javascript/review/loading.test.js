import assert from "node:assert/strict";
import { test } from "node:test";

import { DetailsCache, WINDOW } from "../../../src/visual_review/web/static/web/review/details_cache.js";
import { RefusedError, SignedOutError, StaleTokenError, UnreachableError, failureOf } from "../../../src/visual_review/web/static/web/review/requests.js";
import { FRESH_STREAM, afterFailure, afterOpen, isPolling } from "../../../src/visual_review/web/static/web/review/stream_state.js";
import { chooseFirst, composeUrl, shotFromUrl } from "../../../src/visual_review/web/static/web/review/url_state.js";
import { screenshot } from "./samples.js";

/** Answers with the ids that were asked for, and counts requests. */
class Server {
  /** @type {string[][]} */
  requests = [];
  /** @type {Error | null} */
  failure = null;

  cache = new DetailsCache("/details", async (url) => {
    const ids = (url.split("=")[1] ?? "").split(",");
    this.requests.push(ids);
    await Promise.resolve();
    if (this.failure) {
      throw this.failure;
    }
    return { screenshots: ids.filter((id) => id !== "gone").map((id) => ({ id })) };
  });
}

test("a window of details is one request", async () => {
  const server = new Server();
  const ids = Array.from({ length: WINDOW + 1 }, (_, place) => `shot_${place}`);
  await Promise.all([server.cache.load(ids), server.cache.load(ids.slice(0, 3))]);
  assert.deepEqual(server.requests.map((each) => each.length), [WINDOW, 1]);
  assert.equal(server.cache.get("shot_0")?.id, "shot_0");
});

test("what is known is asked again only after a decision", async () => {
  const server = new Server();
  await server.cache.load(["a", "b"]);
  await server.cache.load(["a", "b"]);
  assert.equal(server.requests.length, 1);
  server.cache.markOutdated(["b", "never loaded"]);
  assert.equal(server.cache.get("b")?.id, "b");
  await server.cache.load(["a", "b"]);
  assert.deepEqual(server.requests[1], ["b"]);
});

test("a failure is asked again", async () => {
  const server = new Server();
  server.failure = new UnreachableError("gone");
  await assert.rejects(server.cache.load(["a"]), UnreachableError);
  server.failure = null;
  await server.cache.load(["a"]);
  assert.ok(server.cache.get("a"));
});

test("a foreign screenshot is not there", async () => {
  const server = new Server();
  await server.cache.load(["gone"]);
  assert.equal(server.cache.get("gone"), null);
});

test("responses say what can be done about them", () => {
  assert.ok(failureOf(401, { error: "Sign in.", signInUrl: "/sign-in" }) instanceof SignedOutError);
  assert.ok(failureOf(403, undefined) instanceof StaleTokenError);
  assert.ok(failureOf(403, { error: "Ask an owner." }) instanceof RefusedError);
  assert.ok(failureOf(404, undefined) instanceof RefusedError);
  for (const status of [500, 502, 503, 429, 408, 200]) {
    assert.ok(failureOf(status, undefined) instanceof UnreachableError, String(status));
  }
  const asked = failureOf(409, { error: "It approves the build.", needs: "finalize" });
  assert.ok(asked instanceof RefusedError && asked.needs === "finalize");
  const refused = failureOf(400, { error: "Too long.", needs: "finalize" });
  assert.ok(refused instanceof RefusedError && refused.needs === null);
});

test("the page asks when the stream fails twice, or for good", () => {
  const once = afterFailure(FRESH_STREAM, false);
  assert.equal(isPolling(once), false);
  assert.equal(isPolling(afterFailure(once, false)), true);
  assert.equal(isPolling(afterFailure(FRESH_STREAM, true)), true);
  assert.equal(isPolling(afterOpen()), false);
});

test("a link shows the same", () => {
  const url = composeUrl("/builds/b", { view: [["state", "changed,new"], ["q", "a&b"]], shot: "shot_1", viewer: [["mode", "blink"]] });
  assert.equal(url, "/builds/b?state=changed,new&q=a%26b&shot=shot_1&mode=blink");
  assert.equal(shotFromUrl({ search: new URL(url, "http://h").search, hash: "" }), "shot_1");
  assert.equal(composeUrl("/builds/b", { view: [], shot: null, viewer: [] }), "/builds/b");
  assert.equal(shotFromUrl({ search: "", hash: "#shot_2" }), "shot_2");
  assert.equal(shotFromUrl({ search: "?shot=<script>", hash: "" }), null);
});

test("a review begins at what the link names, else at what is undecided", () => {
  const shots = new Map([screenshot("a", { decision: "approved" }), screenshot("b")].map((each) => [each.id, each]));
  assert.equal(chooseFirst("x", ["a", "b"], shots), "x");
  assert.equal(chooseFirst(null, ["a", "b"], shots), "b");
  assert.equal(chooseFirst(null, ["a"], shots), "a");
  assert.equal(chooseFirst(null, [], shots), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { DisplayedRows } from "../../../src/visual_review/web/static/web/review/displayed_rows.js";
import { ReviewStore } from "../../../src/visual_review/web/static/web/review/store.js";
import { screenshot, snapshot } from "./samples.js";

/** @import { Decision } from "../../../src/visual_review/web/static/web/review/types.js" */

/** @param {[string, Decision][]} pending */
function show(...pending) {
  return new Map(pending);
}

function open() {
  const store = new ReviewStore();
  store.load(snapshot([screenshot("a"), screenshot("b", { decision: "rejected", decidedBy: "Bob" })]));
  return { store, rows: new DisplayedRows(store) };
}

test("a decision shows at once, as one's own", () => {
  const { store, rows } = open();
  rows.showPending(show(["a", "approved"]));
  assert.equal(store.screenshot("a")?.decision, "approved");
  assert.equal(store.screenshot("a")?.decidedBy, "Alice");
  assert.equal(rows.confirmed("a")?.decision, "");
});

test("a refused decision leaves what the server has", () => {
  const { store, rows } = open();
  rows.showPending(show(["b", "approved"]));
  rows.showPending(show());
  assert.equal(store.screenshot("b")?.decision, "rejected");
  assert.equal(store.screenshot("b")?.decidedBy, "Bob");
});

test("what the server says is shown once nothing covers it", () => {
  const { store, rows } = open();
  rows.showPending(show(["a", "approved"]));
  rows.receive([screenshot("a", { decision: "rejected", decidedBy: "Bob" })]);
  assert.equal(store.screenshot("a")?.decision, "approved");
  rows.showPending(show());
  assert.equal(store.screenshot("a")?.decision, "rejected");
});

test("clearing shows no one as the decider", () => {
  const { store, rows } = open();
  rows.showPending(show(["b", ""]));
  assert.equal(store.screenshot("b")?.decidedBy, "");
});

test("nothing is announced where nothing changes", () => {
  const { store, rows } = open();
  rows.showPending(show(["a", "approved"]));
  let events = 0;
  store.addEventListener("rows", () => (events += 1));
  rows.showPending(show(["a", "approved"]));
  assert.equal(events, 0);
});

test("a new index is confirmed, and still covered", () => {
  const { store, rows } = open();
  rows.showPending(show(["a", "approved"]));
  store.load(snapshot([screenshot("a", { decision: "rejected", decidedBy: "Bob" }), screenshot("b")]));
  rows.reset();
  assert.equal(store.screenshot("a")?.decision, "approved");
  rows.showPending(show());
  assert.equal(store.screenshot("a")?.decision, "rejected");
});

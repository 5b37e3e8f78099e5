import assert from "node:assert/strict";
import { test } from "node:test";

import { DisplayedRows } from "../../../src/visual_review/web/static/web/review/displayed_rows.js";
import { LiveRows } from "../../../src/visual_review/web/static/web/review/live_rows.js";
import { ReviewStore } from "../../../src/visual_review/web/static/web/review/store.js";
import { build, screenshot, snapshot } from "./samples.js";

/** @import { Announcer } from "../../../src/visual_review/web/static/web/review/announcer.js" */
/** @import { Changes } from "../../../src/visual_review/web/static/web/review/wire.js" */

/**
 * @param {string} cursor
 * @param {[id: string, decision: number, person: number][]} rows
 * @returns {Changes}
 */
function changes(cursor, ...rows) {
  return {
    cursor,
    build: build(),
    stories: [["menu--open", "Menu"]],
    kinds: ["text"],
    people: ["Alice", "Bob"],
    messages: [],
    screenshots: rows.map(([id, decision, person]) => [id, 0, 1, 0, 0, decision, -1, 0, 0.5, 0.1, 10, 10, 0, person, -1]),
  };
}

function open() {
  const store = new ReviewStore();
  store.load(snapshot([screenshot("a"), screenshot("b")]));
  /** @type {string[]} */
  const notices = [];
  const announcer = /** @type {Announcer} */ (/** @type {unknown} */ ({ notify: (/** @type {string} */ text) => notices.push(text) }));
  const rows = new DisplayedRows(store);
  return { store, rows, notices, live: new LiveRows(store, rows, announcer) };
}

test("what another reviewer decided appears with the name", () => {
  const { store, notices, live } = open();
  live.apply(changes("2", ["a", 2, 1]), { isWhole: true, revision: 0 });
  assert.equal(store.screenshot("a")?.decision, "rejected");
  assert.equal(store.snapshot?.cursor, "2");
  assert.deepEqual(notices, ["Menu, dark, phone: Rejected by Bob"]);
  live.apply(changes("3", ["a", 2, 1]), { isWhole: true, revision: 0 });
  assert.equal(notices.length, 1);
});

test("many decisions are one notice, and one's own are none", () => {
  const { notices, live } = open();
  live.apply(changes("2", ["a", 1, 0]), { isWhole: true, revision: 0 });
  assert.deepEqual(notices, []);
  live.apply(changes("3", ["a", 2, 1], ["b", 2, 1]), { isWhole: true, revision: 0 });
  assert.deepEqual(notices, ["Bob decided 2 screenshots"]);
});

test("what was read before an own decision does not take it back", () => {
  const { store, rows, live } = open();
  rows.receive([screenshot("a", { decision: "approved", decidedBy: "Alice" })]);
  live.markDecided(["a"]);
  live.apply(changes("2", ["a", 0, -1], ["b", 1, 1]), { isWhole: false, revision: 0 });
  assert.equal(store.screenshot("a")?.decision, "approved");
  assert.equal(store.screenshot("b")?.decision, "approved");
  // Something may be missing between the two, so the next question begins where this one did.
  assert.equal(store.snapshot?.cursor, "1");
  live.apply(changes("3", ["a", 2, 1]), { isWhole: true, revision: 1 });
  assert.equal(store.screenshot("a")?.decision, "rejected");
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { ImageStore } from "../../../src/visual_review/web/static/web/viewer/image_store.js";
import { chooseForgotten, countWithRoom } from "../../../src/visual_review/web/static/web/viewer/lru.js";

/** @import { Entry } from "../../../src/visual_review/web/static/web/viewer/image_store.js" */
/** @import { DecodedImage } from "../../../src/visual_review/web/static/web/viewer/decoded_image.js" */

/** Loads nothing until the test says which URL has arrived. */
class ControlledLoader {
  /** @type {Map<string, PromiseWithResolvers<DecodedImage>>} */
  waiting = new Map();
  /** @type {string[]} */
  closed = [];

  load = (/** @type {string} */ url) => {
    const promise = Promise.withResolvers();
    this.waiting.set(url, promise);
    return promise.promise;
  };

  /** @param {string} url */
  async arrive(url, pixels = 100) {
    const image = { pixels, close: () => this.closed.push(url) };
    this.waiting.get(url)?.resolve(/** @type {DecodedImage} */ (/** @type {unknown} */ (image)));
    await settled();
  }

  /** @param {string} url */
  async fail(url) {
    this.waiting.get(url)?.reject(new Error("It is gone."));
    await settled();
  }
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** @param {string} url */
function source(url) {
  return { url, width: 10, height: 10 };
}

function makeStore(budget = 350) {
  const loader = new ControlledLoader();
  /** @type {Entry[]} */
  const reported = [];
  const store = new ImageStore(loader.load, (entry) => reported.push(entry), budget);
  return { loader, reported, store };
}

test("the longest unused is forgotten, and never what is shown", () => {
  const stored = [
    { url: "shown", pixels: 500, lastUsed: 1, isShown: true },
    { url: "old", pixels: 100, lastUsed: 2, isShown: false },
    { url: "new", pixels: 100, lastUsed: 3, isShown: false },
  ];
  assert.deepEqual(chooseForgotten(stored, 600), ["old"]);
  assert.deepEqual(chooseForgotten(stored, 100), ["old", "new"]);
  assert.deepEqual(chooseForgotten(stored, 900), []);
});

test("only as much is prefetched as there is room for", () => {
  assert.equal(countWithRoom([100, 100, 100], 100, 350), 2);
  assert.equal(countWithRoom([400], 0, 350), 0);
});

test("an image is loading until it is ready, and is loaded once", async () => {
  const { loader, reported, store } = makeStore();
  store.show([source("a")]);
  store.show([source("a")]);
  assert.equal(store.entry(source("a"))?.status, "loading");
  await loader.arrive("a");
  assert.equal(store.entry(source("a"))?.status, "ready");
  assert.deepEqual(reported.map((entry) => entry.url), ["a"]);
});

test("a failed image says why and is loaded again on request", async () => {
  const { loader, store } = makeStore();
  store.show([source("a"), source("b")]);
  await loader.fail("a");
  await loader.arrive("b");
  assert.equal(store.entry(source("a"))?.error, "It is gone.");
  assert.equal(store.entry(source("b"))?.status, "ready");
  store.retry(source("a"));
  assert.equal(store.entry(source("a"))?.status, "loading");
  assert.equal(store.entry(source("b"))?.isShown, true);
  await loader.arrive("a");
  assert.equal(store.entry(source("a"))?.status, "ready");
});

test("what failed while it was prefetched is loaded again when it is shown, once", async () => {
  const { loader, store } = makeStore();
  store.prefetch([source("a")]);
  await loader.fail("a");
  store.show([source("a")]);
  assert.equal(store.entry(source("a"))?.status, "loading");
  await loader.fail("a");
  store.show([source("a")]);
  assert.equal(store.entry(source("a"))?.status, "failed");
});

test("the next ones are loaded two at a time, within the budget", async () => {
  const { loader, store } = makeStore(450);
  store.show([source("shown")]);
  await loader.arrive("shown");
  store.prefetch(["1", "2", "3", "4"].map(source));
  assert.deepEqual([...loader.waiting.keys()], ["shown", "1", "2"]);
  await loader.arrive("1");
  await loader.arrive("2");
  await loader.arrive("3");
  assert.deepEqual([...loader.waiting.keys()], ["shown", "1", "2", "3"]);
});

test("what is no longer near is not waited for, and what arrives late is closed", async () => {
  const { loader, reported, store } = makeStore();
  store.prefetch([source("a")]);
  store.prefetch([source("b")]);
  assert.equal(store.entry(source("a")), undefined);
  await loader.arrive("a");
  assert.deepEqual(loader.closed, ["a"]);
  assert.deepEqual(reported, []);
});

test("memory stays within the budget while one screenshot after the other is shown", async () => {
  const { loader, store } = makeStore(250);
  for (const url of ["a", "b", "c", "d"]) {
    store.show([source(url)]);
    await loader.arrive(url);
  }
  assert.deepEqual(loader.closed, ["a", "b"]);
  assert.equal(store.entry(source("c"))?.status, "ready");
});

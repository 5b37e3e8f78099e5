import assert from "node:assert/strict";
import { test } from "node:test";

import { OneAtATime } from "../../../src/visual_review/web/static/web/viewer/one_at_a_time.js";

test("a task begins when the earlier ones have ended, also by an error", async () => {
  const queue = new OneAtATime();
  /** @type {string[]} */
  const log = [];
  /** @param {string} name */
  const task = (name) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
    if (name === "b") {
      throw new Error("broken");
    }
    return name;
  };
  const results = await Promise.allSettled(["a", "b", "c"].map((name) => queue.run(task(name))));
  assert.deepEqual(log, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  assert.deepEqual(results.map((result) => result.status), ["fulfilled", "rejected", "fulfilled"]);
});

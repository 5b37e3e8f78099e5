import assert from "node:assert/strict";
import { test } from "node:test";

import { formatRelative, formatTime } from "../../../src/visual_review/web/static/web/times.js";

test("a time is shown in the local zone, with the precision asked for", () => {
  const moment = new Date(2026, 10, 3, 4, 5, 6);
  assert.equal(formatTime(moment, "day"), "03 Nov 2026");
  assert.equal(formatTime(moment, "minute"), "03 Nov 2026, 04:05");
  assert.equal(formatTime(moment, "second"), "03 Nov 2026, 04:05:06");
});

test("each time of a precision has the same number of characters", () => {
  for (let month = 0; month < 12; month += 1) {
    assert.equal(formatTime(new Date(2026, month, 1), "minute").length, 18);
    assert.equal(formatTime(new Date(2026, month, 28, 23, 59), "minute").length, 18);
  }
});

test("how long ago something was is said in the largest unit", () => {
  const now = new Date(2026, 10, 3, 4, 5, 6);
  /** @param {number} seconds */
  const ago = (seconds) => formatRelative(new Date(now.valueOf() - seconds * 1000), now);
  assert.equal(ago(5), "just now");
  assert.equal(ago(-5), "just now");
  assert.equal(ago(60), "1 minute ago");
  assert.equal(ago(2 * 3600 + 100), "2 hours ago");
  assert.equal(ago(-2 * 3600), "in 2 hours");
  assert.equal(ago(29.5 * 86_400), "29 days ago");
  assert.equal(ago(31 * 86_400), "03 Oct 2026");
});

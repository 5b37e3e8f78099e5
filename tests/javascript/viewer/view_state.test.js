import assert from "node:assert/strict";
import { test } from "node:test";

import {
  DEFAULT_STATE,
  MODES,
  modeAfter,
  viewStateFromParameters,
  viewStateToParameters,
} from "../../../src/visual_review/web/static/web/viewer/view_state.js";

/** @import { ViewerState } from "../../../src/visual_review/web/static/web/viewer/types.js" */

/** @param {ViewerState} state */
function throughUrl(state) {
  return viewStateFromParameters(new URLSearchParams(viewStateToParameters(state)));
}

test("the usual state needs no parameter", () => {
  assert.deepEqual(viewStateToParameters(DEFAULT_STATE), []);
  assert.deepEqual(viewStateFromParameters(new URLSearchParams()), DEFAULT_STATE);
});

test("a state comes back from its URL", () => {
  for (const mode of MODES) {
    /** @type {ViewerState[]} */
    const states = [
      { ...DEFAULT_STATE, mode },
      { ...DEFAULT_STATE, mode, fit: "width", y: 1234 },
      { ...DEFAULT_STATE, mode, fit: "free", zoom: 0.375, x: 12, y: 19_999 },
    ];
    for (const state of states) {
      assert.deepEqual(throughUrl(state), state);
    }
  }
});

test("where the camera is counts only if a person chose it", () => {
  const opened = { ...DEFAULT_STATE, zoom: 0.7, x: 100, y: 900 };
  assert.deepEqual(throughUrl(opened), DEFAULT_STATE);
});

test("parameters that make no sense are as if they were not there", () => {
  for (const text of [
    "mode=sideways",
    "zoom=-5&x=1&y=1",
    "zoom=abc&x=1&y=1",
    "zoom=100&x=1",
    "zoom=Infinity&x=0&y=0",
    "zoom=0&x=0&y=0",
  ]) {
    assert.deepEqual(viewStateFromParameters(new URLSearchParams(text)), DEFAULT_STATE, text);
  }
  const huge = viewStateFromParameters(new URLSearchParams("zoom=999999&x=1&y=2"));
  assert.equal(huge.zoom, 32);
});

test("after the last mode comes the first", () => {
  let mode = MODES[0] ?? "overlay";
  const visited = MODES.map(() => (mode = modeAfter(mode)));
  assert.deepEqual(new Set(visited), new Set(MODES));
  assert.equal(mode, MODES[0]);
});

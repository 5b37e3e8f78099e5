import assert from "node:assert/strict";
import { test } from "node:test";

import {
  countFilters,
  DEFAULT_VIEW,
  screenshotFromHash,
  toggleValue,
  viewFromParameters,
  viewToParameters,
  withoutFilters,
} from "../../../src/visual_review/web/static/web/navigator/model/view.js";

/** @param {string} query */
function read(query) {
  return viewFromParameters(new URLSearchParams(query));
}

test("the default view has no parameters", () => {
  assert.deepEqual(viewToParameters(DEFAULT_VIEW), []);
  assert.deepEqual(read(""), DEFAULT_VIEW);
});

test("a view is the same after a way through the URL", () => {
  const view = {
    ...DEFAULT_VIEW,
    state: ["changed", "new"],
    theme: ["dark"],
    device: ["phone", "tablet"],
    kind: ["text"],
    decided: ["undecided"],
    unstable: true,
    notes: true,
    regions: true,
    story: "button--primary",
    q: "größe & Überschrift, قائمة",
    sort: /** @type {const} */ ("largest"),
    tree: true,
    unchanged: true,
  };
  const query = new URLSearchParams(viewToParameters(view)).toString();
  assert.deepEqual(read(query), view);
});

test("unknown values are left out", () => {
  const view = read("state=changed,broken&theme=&sort=newest&kind=%3Cb%3E,text&tree=yes");
  assert.deepEqual(view, { ...DEFAULT_VIEW, state: ["changed"], kind: ["text"] });
});

test("links of earlier versions show the same", () => {
  assert.deepEqual(read("show=review"), DEFAULT_VIEW);
  assert.deepEqual(read("show=open").decided, ["undecided"]);
  assert.deepEqual(read("show=unchanged").state, ["unchanged"]);
  assert.equal(read("show=all").unchanged, true);
  assert.equal(read("show=review&story=card--plain").story, "card--plain");
});

test("a posted link names its screenshot", () => {
  assert.equal(screenshotFromHash("#shot_01abc"), "shot_01abc");
  assert.equal(screenshotFromHash("#story-card"), "");
  assert.equal(screenshotFromHash(""), "");
});

test("a value is added and taken away", () => {
  const added = toggleValue(DEFAULT_VIEW, "state", "new");
  assert.deepEqual(added.state, ["new"]);
  assert.deepEqual(toggleValue(added, "state", "new"), DEFAULT_VIEW);
});

test("a reset takes filters away, and nothing else", () => {
  const view = read("state=new&q=x&story=a&unstable=1&sort=story&tree=1&unchanged=1");
  assert.equal(countFilters(view), 4);
  assert.deepEqual(withoutFilters(view), read("sort=story&tree=1&unchanged=1"));
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { parseTheme } from "../../../src/visual_review/web/static/web/theme.js";

test("only the two themes are a choice; anything else is the system's", () => {
  assert.equal(parseTheme("light"), "light");
  assert.equal(parseTheme("dark"), "dark");
  for (const stored of [null, "", "system", "Dark", "<b>"]) {
    assert.equal(parseTheme(stored), "system");
  }
});

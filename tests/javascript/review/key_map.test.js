import assert from "node:assert/strict";
import { test } from "node:test";

import { FIRST_KEYS, KEY_MAP, findCommand, shortcutOf, splitKey } from "../../../src/visual_review/web/static/web/review/key_map.js";

/** @param {string} key @param {Partial<import("../../../src/visual_review/web/static/web/review/key_map.js").KeyPress>} [more] */
function press(key, more = {}) {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : "";
  return { key, code, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, repeat: false, ...more };
}

test("each key has one command", () => {
  const keys = KEY_MAP.flatMap((binding) => binding.keys);
  assert.equal(new Set(keys).size, keys.length);
  const commands = KEY_MAP.map((binding) => binding.command);
  assert.equal(new Set(commands).size, commands.length);
});

test("the left hand reaches what a review needs", () => {
  const left = new Set([..."qwertasdfgzxcvb12345"]);
  for (const command of ["next", "previous", "approve", "reject", "undo", "nextMode", "zoomFit", "nextChange", "clear", "select"]) {
    const binding = KEY_MAP.find((each) => each.command === command);
    assert.ok(binding?.keys.some((key) => left.has(key)), command);
  }
});

test("keys find their commands", () => {
  /** @type {[ReturnType<typeof press>, string | null][]} */
  const cases = [
    [press("a"), "approve"],
    [press("A", { shiftKey: true }), "approveGroup"],
    [press("A"), "approve"],
    [press("a", { shiftKey: true }), "approveGroup"],
    [press("z", { ctrlKey: true }), "undo"],
    [press("a", { ctrlKey: true }), null],
    [press("a", { altKey: true }), null],
    [press("z", { metaKey: true }), null],
    [press("?", { shiftKey: true }), "help"],
    [press("/", { shiftKey: true }), "search"],
    [press("+", { shiftKey: true }), "zoomIn"],
    [press("=", { shiftKey: false }), "zoomIn"],
    [press("ф", { code: "KeyA" }), "approve"],
    [press("Ф", { code: "KeyA", shiftKey: true }), "approveGroup"],
    [press("Process", { code: "KeyA" }), null],
    [press("ArrowDown"), "next"],
    [press("Escape"), null],
    [press("y"), null],
  ];
  for (const [key, command] of cases) {
    assert.equal(findCommand(key), command, JSON.stringify(key));
  }
});

test("typing decides nothing", () => {
  for (const binding of KEY_MAP) {
    for (const key of binding.keys) {
      const name = key.split("+").at(-1) || "+";
      assert.equal(findCommand(press(name, { ctrlKey: key.startsWith("Ctrl") }), "typing"), null);
    }
  }
});

test("a slider keeps its arrows and digits", () => {
  assert.equal(findCommand(press("ArrowDown"), "widget"), null);
  assert.equal(findCommand(press("3"), "widget"), null);
  assert.equal(findCommand(press("a"), "widget"), "approve");
});

test("a key that is held down goes on, but decides once", () => {
  assert.equal(findCommand(press("s", { repeat: true })), "next");
  for (const key of ["a", "r", "z", "c", "x", "d"]) {
    assert.equal(findCommand(press(key, { repeat: true })), null, key);
  }
});

test("without single keys only Ctrl+Z is left", () => {
  assert.equal(findCommand(press("a"), "page", false), null);
  assert.equal(findCommand(press("z", { ctrlKey: true }), "page", false), "undo");
});

test("keys are shown as they are printed on a keyboard", () => {
  assert.deepEqual(splitKey("Shift+a"), ["Shift", "A"]);
  assert.deepEqual(splitKey("ArrowDown"), ["↓"]);
  assert.deepEqual(splitKey("+"), ["+"]);
  assert.equal(shortcutOf("approveGroup"), "Shift+A");
  assert.equal(FIRST_KEYS.length, 5);
});

// The keys of the review page: one list for the page's commands and for the help.

/**
 * @typedef {"next" | "previous" | "nextUndecided" | "nextChange" | "previousChange"
 *   | "approve" | "reject" | "clear" | "undo"
 *   | "approveStory" | "rejectStory" | "select" | "selectRange" | "selectVisible" | "openGroup" | "holdBefore" | "focusImage" | "focusMode" | "drawRegions" | "comments" | "history" | "approveGroup" | "rejectGroup" | "approveBuild"
 *   | "nextMode" | "mode1" | "mode2" | "mode3" | "mode4" | "mode5"
 *   | "zoomFit" | "zoomIn" | "zoomOut" | "highlights" | "magnifier" | "search" | "help"} Command
 */

/**
 * `keys` are written as `Shift+A`, `Ctrl+Z` or as `KeyboardEvent.key`. `held` commands also follow
 * a held key; a decision never does. `short` is for the hint to first-time reviewers.
 * @typedef {{command: Command, keys: readonly string[], label: string, section: string, short?: string, held?: boolean}} Binding
 */

/**
 * The relevant part of a `KeyboardEvent`.
 * @typedef {{key: string, code: string, shiftKey: boolean, ctrlKey: boolean, altKey: boolean,
 *   metaKey: boolean, repeat: boolean}} KeyPress
 */

/**
 * The kind of focus: `typing` takes every key; `widget` (a slider, a menu) takes arrows and
 * digits.
 * @typedef {"page" | "typing" | "widget"} Focus
 */

const MOVE = "Move";
const DECIDE = "Decide";
const MANY = "Decide many";
const LOOK = "Look closely";
const PAGE = "This page";

/** @type {readonly Binding[]} */
export const KEY_MAP = Object.freeze([
  { command: "next", keys: ["s", "j", "ArrowDown"], label: "Next screenshot", section: MOVE, held: true, short: "Next" },
  { command: "previous", keys: ["w", "k", "ArrowUp"], label: "Previous screenshot", section: MOVE, held: true },
  { command: "nextUndecided", keys: ["n"], label: "Next undecided screenshot", section: MOVE, held: true },
  { command: "nextChange", keys: ["e"], label: "What was not in view yet, then the next change", section: MOVE, held: true },
  { command: "previousChange", keys: ["q"], label: "Previous change in the screenshot", section: MOVE, held: true },
  { command: "approve", keys: ["a"], label: "Approve the screenshot, or the selection", section: DECIDE, short: "Approve" },
  { command: "reject", keys: ["r"], label: "Reject with a comment", section: DECIDE, short: "Reject" },
  { command: "clear", keys: ["c"], label: "Clear the decision", section: DECIDE },
  { command: "undo", keys: ["z", "Ctrl+z"], label: "Undo the last decision; again for the one before", section: DECIDE, short: "Undo" },
  { command: "openGroup", keys: ["g"], label: "All of the group, the story or the selection at once", section: MANY },
  { command: "approveGroup", keys: ["Shift+a"], label: "Approve the group, or the story", section: MANY },
  { command: "rejectGroup", keys: ["Shift+r"], label: "Reject the group, or the story", section: MANY },
  { command: "approveStory", keys: ["t"], label: "Approve all variants of the story", section: MANY },
  { command: "rejectStory", keys: ["Shift+t"], label: "Reject all variants of the story", section: MANY },
  { command: "select", keys: ["x"], label: "Select or unselect", section: MANY },
  { command: "selectRange", keys: ["Shift+x"], label: "Select from the last selected one to here", section: MANY },
  { command: "selectVisible", keys: ["v"], label: "Select everything in the list", section: MANY },
  { command: "approveBuild", keys: ["Shift+b"], label: "Approve the build", section: MANY },
  { command: "nextMode", keys: ["d"], label: "Next way of comparing", section: LOOK, short: "Compare in another way" },
  { command: "mode1", keys: ["1"], label: "Side by side", section: LOOK },
  { command: "mode2", keys: ["2"], label: "Overlay", section: LOOK },
  { command: "mode3", keys: ["3"], label: "Swipe", section: LOOK },
  { command: "mode4", keys: ["4"], label: "Blink", section: LOOK },
  { command: "mode5", keys: ["5"], label: "Difference only", section: LOOK },
  { command: "zoomFit", keys: ["f"], label: "Fit the width, fit the change, 100 %", section: LOOK },
  { command: "zoomIn", keys: ["+", "="], label: "Zoom in", section: LOOK, held: true },
  { command: "zoomOut", keys: ["-"], label: "Zoom out", section: LOOK, held: true },
  { command: "holdBefore", keys: ["b"], label: "Before, as long as the key is held", section: LOOK },
  { command: "focusImage", keys: ["p"], label: "Move the image with the arrow keys", section: LOOK },
  { command: "focusMode", keys: ["\\"], label: "Nothing but the image", section: LOOK },
  { command: "highlights", keys: ["h"], label: "Show or hide the highlighted changes", section: LOOK },
  { command: "magnifier", keys: ["m"], label: "Show or hide the magnifier", section: LOOK },
  { command: "drawRegions", keys: ["i"], label: "Dynamic regions of the screenshot", section: PAGE },
  { command: "comments", keys: ["Shift+c"], label: "Comments on the screenshot", section: PAGE },
  { command: "history", keys: ["Shift+h"], label: "All versions and builds of the story", section: PAGE },
  { command: "search", keys: ["/"], label: "Search", section: PAGE },
  { command: "help", keys: ["?"], label: "Show all keys", section: PAGE },
]);

/** The five keys that a first-time reviewer needs. */
export const FIRST_KEYS = Object.freeze(
  /** @type {Command[]} */ (["approve", "reject", "next", "undo", "nextMode"]),
);

const NAMES = new Map([["ArrowDown", "↓"], ["ArrowUp", "↑"], ["Ctrl", "Ctrl"], ["Shift", "Shift"]]);
const LETTER = /^[a-z]$/;
const WIDGET_KEY = /^(?:Arrow.*|[-+=0-9])$/;

/**
 * Return the command of a key press, or null where the key is not ours.
 * @param {KeyPress} press
 * @param {Focus} [focus]
 * @param {boolean} [singleKeys] whether keys without Ctrl are on
 * @returns {Command | null}
 */
export function findCommand(press, focus = "page", singleKeys = true) {
  const name = nameKey(press);
  if (press.altKey || press.metaKey || isTaken(name, focus)) {
    return null;
  }
  const binding = KEY_MAP.find((each) => each.keys.includes(name));
  if (!binding || (!singleKeys && !press.ctrlKey)) {
    return null;
  }
  return press.repeat && !binding.held ? null : binding.command;
}

/**
 * @param {string} name
 * @param {Focus} focus
 */
function isTaken(name, focus) {
  return focus === "typing" || (focus === "widget" && WIDGET_KEY.test(name));
}

/**
 * Return the key in the map's notation. A letter is found by its place on keyboards with other
 * letters, and Caps Lock changes nothing.
 * @param {KeyPress} press
 */
function nameKey(press) {
  const control = press.ctrlKey ? "Ctrl+" : "";
  const letter = findLetter(press);
  if (letter) {
    return `${control}${press.shiftKey ? "Shift+" : ""}${letter}`;
  }
  // Which other characters need Shift differs between keyboards.
  return control + press.key;
}

/** @param {KeyPress} press */
function findLetter(press) {
  const typed = press.key.toLowerCase();
  if (LETTER.test(typed)) {
    return typed;
  }
  const isForeignLetter = /^\p{L}$/u.test(press.key);
  return isForeignLetter && press.code.startsWith("Key") ? press.code.slice(3).toLowerCase() : "";
}

/**
 * Return a key as people read keys: `["Shift", "A"]`.
 * @param {string} key
 */
export function splitKey(key) {
  const parts = key === "+" ? [key] : key.split("+");
  return parts.map((part) => NAMES.get(part) ?? part.toUpperCase());
}

/**
 * Return a command's first key as one text, for buttons: `Shift+A`.
 * @param {Command} command
 */
export function shortcutOf(command) {
  return splitKey(findBinding(command).keys[0] ?? "").join("+");
}

/**
 * @param {Command} command
 * @returns {Binding}
 */
export function findBinding(command) {
  const binding = KEY_MAP.find((each) => each.command === command);
  if (!binding) {
    throw new TypeError(`No key has the command ${command}`);
  }
  return binding;
}

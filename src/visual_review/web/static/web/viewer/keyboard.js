// The keys of the images, for when they have the focus.

/**
 * @typedef {"left" | "right" | "up" | "down" | "in" | "out" | "actual" | "top" | "bottom"
 *   | "page-up" | "page-down" | "swap"} KeyCommand
 */

/** @type {ReadonlyMap<string, KeyCommand>} */
const KEYS = new Map([
  ["ArrowLeft", "left"],
  ["ArrowRight", "right"],
  ["ArrowUp", "up"],
  ["ArrowDown", "down"],
  ["+", "in"],
  ["=", "in"],
  ["-", "out"],
  ["0", "actual"],
  ["Home", "top"],
  ["End", "bottom"],
  ["PageUp", "page-up"],
  ["PageDown", "page-down"],
  [" ", "swap"],
]);

/**
 * Return what a key does, if anything; with a modifier it is the browser's.
 *
 * @param {{key: string, altKey: boolean, ctrlKey: boolean, metaKey: boolean}} event
 */
export function commandOf(event) {
  return event.altKey || event.ctrlKey || event.metaKey ? undefined : KEYS.get(event.key);
}

const STEP = 80;

/**
 * Return how far the content moves for a key, in pixels of the screen.
 *
 * @param {KeyCommand} command
 * @param {{width: number, height: number}} view
 */
export function movementOf(command, view) {
  const page = view.height * 0.9;
  /** @type {Partial<Record<KeyCommand, [number, number]>>} */
  const movements = {
    left: [STEP, 0],
    right: [-STEP, 0],
    up: [0, STEP],
    down: [0, -STEP],
    "page-up": [0, page],
    "page-down": [0, -page],
    top: [0, 1e9],
    bottom: [0, -1e9],
  };
  return movements[command];
}

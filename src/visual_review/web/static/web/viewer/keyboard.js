// The keys of focused images.

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
 * Return the command of a key, if any; keys with a modifier are the browser's.
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

/**
 * Have keys move the focused image.
 *
 * @param {HTMLElement} image
 * @param {object} actions
 * @param {() => {width: number, height: number}} actions.view
 * @param {(dx: number, dy: number) => void} actions.pan
 * @param {(command: "in" | "out" | "100") => void} actions.zoom
 * @param {() => unknown} actions.swap False where there is nothing to swap: the key is the page's.
 */
export function listenToKeys(image, { view, pan, zoom, swap }) {
  image.addEventListener("keydown", (event) => {
    const command = event.target === image ? commandOf(event) : undefined;
    if (!command || (command === "swap" && swap() === false)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const movement = movementOf(command, view());
    if (movement) {
      pan(...movement);
    } else if (command !== "swap") {
      zoom(command === "actual" ? "100" : command === "in" ? "in" : "out");
    }
  });
}

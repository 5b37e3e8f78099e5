// The state of the viewer as one small object, and as parameters of a URL.

/** @import { Mode, ViewerState } from "./types.js" */

import { MAX_ZOOM, clamp } from "./camera.js";

/** @type {readonly Mode[]} */
export const MODES = ["side-by-side", "overlay", "swipe", "blink", "difference"];

/** @type {Readonly<ViewerState>} */
export const DEFAULT_STATE = Object.freeze({
  mode: "side-by-side",
  fit: "change",
  zoom: 1,
  x: 0,
  y: 0,
  opacity: 0.5,
  divider: 0.5,
  highlights: true,
  magnifier: false,
});

/**
 * @param {string | null | undefined} text
 * @returns {text is Mode}
 */
export function isMode(text) {
  return MODES.some((mode) => mode === text);
}

/** @param {Mode} mode @returns {Mode} */
export function modeAfter(mode) {
  return MODES[(MODES.indexOf(mode) + 1) % MODES.length] ?? "side-by-side";
}

/**
 * Return the parameters of a link that shows the same, without default values.
 *
 * @param {ViewerState} state
 * @returns {[string, string][]}
 */
export function viewStateToParameters(state) {
  /** @type {[string, string][]} */
  const parameters = [];
  if (state.mode !== DEFAULT_STATE.mode) {
    parameters.push(["mode", state.mode]);
  }
  if (state.fit === "width") {
    parameters.push(["zoom", "width"], ["y", String(Math.round(state.y))]);
  }
  if (state.fit === "free") {
    parameters.push(
      ["zoom", String(Number((state.zoom * 100).toFixed(1)))],
      ["x", String(Math.round(state.x))],
      ["y", String(Math.round(state.y))],
    );
  }
  return parameters;
}

/**
 * Read the parameters that `viewStateToParameters` returned; invalid values are ignored.
 *
 * @param {URLSearchParams} parameters
 * @returns {ViewerState}
 */
export function viewStateFromParameters(parameters) {
  const mode = parameters.get("mode");
  return {
    ...DEFAULT_STATE,
    mode: isMode(mode) ? mode : DEFAULT_STATE.mode,
    ...readPlace(parameters),
  };
}

/**
 * @param {URLSearchParams} parameters
 * @returns {Pick<ViewerState, "fit" | "zoom" | "x" | "y">}
 */
function readPlace(parameters) {
  const { fit, zoom, x, y } = DEFAULT_STATE;
  if (parameters.get("zoom") === "width") {
    return { fit: "width", zoom, x, y: readNumber(parameters.get("y")) ?? 0 };
  }
  const [percent, left, top] = ["zoom", "x", "y"].map((name) => readNumber(parameters.get(name)));
  if (!percent || left === undefined || top === undefined) {
    return { fit, zoom, x, y };
  }
  return { fit: "free", zoom: clamp(percent / 100, 0.001, MAX_ZOOM), x: left, y: top };
}

/** @param {string | null} text */
function readNumber(text) {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

// The types of the viewer. Nothing here runs; the viewer needs no other module of the page.

/** @typedef {"before" | "after" | "diff"} Side */
/** @typedef {"side-by-side" | "overlay" | "swipe" | "blink" | "difference"} Mode */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {{url: string, width: number, height: number}} ImageSource */

/**
 * The point of the image in the middle of the view, and pixels of the screen per pixel of the image.
 *
 * @typedef {{zoom: number, x: number, y: number}} Camera
 */

/**
 * One changed area. The box is the new place of moved content; `movedBy` leads there from the old
 * place.
 *
 * @typedef {Box & {kind: string, pixels: number, description: string, movedBy?: Point,
 *   colors?: {before: string, after: string},
 *   contrast?: {before: number, after: number}}} Change
 */

/**
 * A numbered place of the image. A press on it is reported with `viewerpin`.
 *
 * @typedef {Point & {id: string, number: string, label: string}} Pin
 */

/**
 * What the viewer shows.
 *
 * @typedef {object} ViewerInput
 * @property {string} id
 * @property {string} label
 * @property {string} state "changed", "new", "removed", "failed", "pending" or "unchanged".
 * @property {ImageSource | null} before
 * @property {ImageSource | null} after
 * @property {ImageSource | null} diff
 * @property {Change[]} changes The worst first.
 * @property {Box[]} boxes Changed areas without a description, for screenshots without changes.
 * @property {Box[]} regions Dynamic regions, which are not compared.
 * @property {readonly Pin[]} [pins] Places of comments.
 * @property {string} [message] The reason for a missing image.
 */

/**
 * The state of the viewer. `fit` is the camera's target: "change" is the opening position, "width"
 * the whole width; with "free", zoom, x and y are the person's choice.
 *
 * @typedef {object} ViewerState
 * @property {Mode} mode
 * @property {"change" | "width" | "free"} fit
 * @property {number} zoom
 * @property {number} x
 * @property {number} y
 * @property {number} opacity Of the later image in the overlay, 0 to 1.
 * @property {number} divider Where the swipe mode divides the view, 0 to 1.
 * @property {boolean} highlights
 * @property {boolean} magnifier
 */

export {};

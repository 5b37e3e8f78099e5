// Choose a point of the shown image: by a press on the image, or the middle of the view by Enter.

/** @import { ScreenshotViewer } from "../../viewer/screenshot_viewer.js" */
/** @import { Point } from "../../viewer/types.js" */
/** @import { Announcer } from "../announcer.js" */

/**
 * Return the point in pixels of the image; null where the choice was canceled.
 *
 * @param {ScreenshotViewer} viewer
 * @param {Announcer} announcer
 * @returns {Promise<Point | null>}
 */
export function pickPlace(viewer, announcer) {
  const { promise, resolve } = /** @type {PromiseWithResolvers<Point | null>} */ (Promise.withResolvers());
  const done = new AbortController();
  viewer.toggleAttribute("picking", true);
  const close = announcer.notify("Press the place on the image, or Enter for the middle of the view.", {
    actions: [{ label: "Cancel", press: () => finish(null) }],
  });
  /** @param {Point | null} place */
  function finish(place) {
    done.abort();
    close();
    viewer.toggleAttribute("picking", false);
    resolve(place && { x: Math.max(0, Math.floor(place.x)), y: Math.max(0, Math.floor(place.y)) });
  }
  viewer.addEventListener("viewertap", (event) => finish(/** @type {CustomEvent<Point>} */ (event).detail), { signal: done.signal });
  addEventListener(
    "keydown",
    (event) => {
      const isButton = event.target instanceof HTMLButtonElement;
      if (event.key === "Escape" || (event.key === "Enter" && !isButton)) {
        event.preventDefault();
        event.stopPropagation();
        finish(event.key === "Enter" ? viewer.state : null);
      }
    },
    { capture: true, signal: done.signal },
  );
  viewer.focusImage();
  return promise;
}

// Reads the index of a build, and explains a failure.

import { parseIndex } from "../navigator/model/snapshot.js";
import { button, element } from "./dom.js";
import { RefusedError, SignedOutError, UnreachableError, getJson } from "./requests.js";

/**
 * @param {string} url
 */
export async function loadIndex(url) {
  return parseIndex(/** @type {any} */ (await getJson(url)));
}

/**
 * Say in one sentence why a request failed; other errors are faults of the page.
 * @param {unknown} error
 */
export function describeLoadError(error) {
  if (error instanceof SignedOutError) {
    return "Your session ended.";
  }
  if (error instanceof RefusedError && error.status === 404 && !error.body.organization) {
    return "This build does not exist any more, or belongs to another organization.";
  }
  if (error instanceof RefusedError || error instanceof UnreachableError) {
    return error.message;
  }
  throw error;
}

/**
 * Show an error in place of the list.
 * @param {HTMLElement} place
 * @param {string} reason
 * @param {() => void} retry
 */
export function showLoadError(place, reason, retry) {
  const box = element("div", { class: "empty review-error", role: "alert" }, element("h2", {}, "This build could not be loaded"), element("p", {}, reason));
  box.append(
    button("Try again", { class: "button" }, () => {
      box.remove();
      retry();
    }),
  );
  place.prepend(box);
}

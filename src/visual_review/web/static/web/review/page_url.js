// Keeps the page's URL up to date, so that a link shows the same to someone else.

import { composeUrl } from "./url_state.js";

/** @import { Parameters } from "./url_state.js" */

// Browsers allow some hundred changes of the URL in half a minute; keys are faster.
const WRITE_AFTER = 250;

export class PageUrl {
  #read;
  #timer = 0;

  /** @param {() => {view: Parameters, shot: string | null, viewer: Parameters}} read */
  constructor(read) {
    this.#read = read;
    globalThis.addEventListener("pagehide", () => this.#write());
  }

  writeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), WRITE_AFTER);
  }

  /** Return the path and query now. */
  compose() {
    return composeUrl(location.pathname, this.#read());
  }

  #write() {
    clearTimeout(this.#timer);
    const url = this.compose();
    if (url !== location.pathname + location.search + location.hash) {
      history.replaceState(history.state, "", url);
    }
  }
}

/**
 * Return the URL of all versions and builds of a screenshot's story.
 *
 * @param {string} screenshotId
 */
export function historyUrl(screenshotId) {
  return `/screenshots/${encodeURIComponent(screenshotId)}/history`;
}

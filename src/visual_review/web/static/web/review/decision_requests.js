// Posts one entry of the queue, with the CSRF token of the current session.

import { RefusedError, SignedOutError, StaleTokenError, UnreachableError, postJson } from "./requests.js";

/** @import { QueueEntry } from "./decision_queue.js" */
/** @import { PageContext } from "./page_context.js" */
/** @import { DecisionResult } from "./wire.js" */

export class DecisionRequests {
  #context;
  #csrfToken;

  /** @param {PageContext} context */
  constructor(context) {
    this.#context = context;
    this.#csrfToken = context.csrfToken;
  }

  /**
   * @param {QueueEntry} entry
   * @returns {Promise<DecisionResult>}
   */
  async post(entry) {
    const { decisions, undo } = this.#context.urls;
    const { requestId, request, decisionId } = entry;
    const [url, body] = request ? [decisions, { requestId, ...request }] : [undo, { requestId, decisionId }];
    try {
      return /** @type {DecisionResult} */ (await postJson(url, body, this.#csrfToken));
    } catch (error) {
      if (!(error instanceof StaleTokenError)) {
        throw error;
      }
    }
    await this.refreshToken();
    return this.#postAgain(url, body);
  }

  /**
   * @param {string} url
   * @param {unknown} body
   * @returns {Promise<DecisionResult>}
   */
  async #postAgain(url, body) {
    try {
      return /** @type {DecisionResult} */ (await postJson(url, body, this.#csrfToken));
    } catch (error) {
      if (error instanceof StaleTokenError) {
        throw new RefusedError(403, { error: "The browser does not keep this page's security cookie. Allow cookies, and reload the page." });
      }
      throw error;
    }
  }

  /** Take the token of the present session from the page itself. */
  async refreshToken() {
    const root = await this.#readPage();
    if (!root?.dataset["csrf"]) {
      throw new SignedOutError(this.#context.urls.signIn);
    }
    if ((root.dataset["reviewerId"] ?? "") !== this.#context.reviewerId) {
      throw new RefusedError(403, { error: "Someone else is signed in now. Sign in as yourself to save this decision." });
    }
    this.#csrfToken = root.dataset["csrf"];
  }

  async #readPage() {
    try {
      const response = await fetch(location.pathname, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      return page.querySelector("#review") instanceof HTMLElement ? /** @type {HTMLElement} */ (page.querySelector("#review")) : null;
    } catch (error) {
      throw new UnreachableError("The server cannot be reached.", { cause: error });
    }
  }
}

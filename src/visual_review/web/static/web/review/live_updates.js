// Keeps the page up to date with the server: other reviewers, comparisons, the build's state.

import { RefusedError, SignedOutError, UnreachableError, getJson } from "./requests.js";
import { FRESH_STREAM, POLL_EVERY, TRY_STREAM_EVERY, afterFailure, afterOpen, isPolling } from "./stream_state.js";

/** @import { Changes } from "./wire.js" */

/**
 * `cursor` is the page's; `revision` grows with each decision confirmed by the server, and
 * `isSending` says whether a decision is under way: rows read meanwhile may be older than the
 * decision.
 * @typedef {object} LiveParts
 * @property {{changes: string, events: string}} urls
 * @property {() => string} cursor
 * @property {() => boolean} isSending
 * @property {() => number} revision
 * @property {(changes: Changes, read: {isWhole: boolean, revision: number}) => void} apply
 * @property {() => Promise<void>} reload
 */

/** Events: `signedout` ({signInUrl}), `gone` (RefusedError), `reachable` (boolean). */
export class LiveUpdates extends EventTarget {
  #parts;
  /** @type {EventSource | null} */
  #source = null;
  #state = FRESH_STREAM;
  #isAsking = false;
  #isOutdated = false;
  #isStopped = false;

  /** @param {LiveParts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.#followVisibility());
    globalThis.addEventListener("online", () => void this.catchUp());
    setInterval(() => this.#poll(), POLL_EVERY);
    setInterval(() => this.#reopen(), TRY_STREAM_EVERY);
    this.#followVisibility();
  }

  /** The session is back. */
  resume() {
    this.#isStopped = false;
    this.#followVisibility();
  }

  /** Read again after a decision, if rows were read during the decision. */
  catchUpIfOutdated() {
    if (this.#isOutdated) {
      void this.catchUp();
    }
  }

  markOutdated() {
    this.#isOutdated = true;
  }

  /** Read the changes since the page's cursor; once more after changes meanwhile. */
  async catchUp() {
    this.#isOutdated = true;
    if (this.#isAsking || this.#isStopped) {
      return;
    }
    this.#isAsking = true;
    try {
      while (this.#isOutdated && !this.#parts.isSending()) {
        this.#isOutdated = false;
        await this.#readChanges();
      }
    } catch (error) {
      this.#handleFailure(error);
    } finally {
      this.#isAsking = false;
    }
  }

  async #readChanges() {
    const revision = this.#parts.revision();
    const url = `${this.#parts.urls.changes}?since=${encodeURIComponent(this.#parts.cursor())}`;
    const changes = /** @type {Changes | {reload: true}} */ (await getJson(url));
    this.#emit("reachable", true);
    if (changes.reload) {
      await this.#parts.reload();
      return;
    }
    // An own decision was confirmed meanwhile, so the rows may be older than the page's.
    const isWhole = revision === this.#parts.revision() && !this.#parts.isSending();
    this.#parts.apply(changes, { isWhole, revision });
    this.#isOutdated ||= !isWhole;
  }

  /** @param {unknown} error */
  #handleFailure(error) {
    if (error instanceof SignedOutError) {
      this.#stop();
      this.#emit("signedout", { signInUrl: error.signInUrl });
    } else if (error instanceof RefusedError) {
      this.#stop();
      this.#emit("gone", error);
    } else if (error instanceof UnreachableError) {
      this.#isOutdated = true;
      this.#emit("reachable", false);
    } else {
      throw error;
    }
  }

  #stop() {
    this.#isStopped = true;
    this.#close();
  }

  #followVisibility() {
    if (document.hidden) {
      this.#close();
    } else if (!this.#isStopped) {
      this.#open();
      void this.catchUp();
    }
  }

  #open() {
    if (this.#source) {
      return;
    }
    const source = new EventSource(this.#parts.urls.events);
    source.addEventListener("open", () => (this.#state = afterOpen()));
    source.addEventListener("changed", (event) => this.#handleChange(event));
    source.addEventListener("error", () => {
      this.#state = afterFailure(this.#state, source.readyState === EventSource.CLOSED);
    });
    this.#source = source;
  }

  #close() {
    this.#source?.close();
    this.#source = null;
    this.#state = FRESH_STREAM;
  }

  /** @param {MessageEvent<string>} event */
  #handleChange(event) {
    const { cursor } = /** @type {{cursor: string}} */ (JSON.parse(event.data));
    if (cursor !== this.#parts.cursor()) {
      void this.catchUp();
    }
  }

  #poll() {
    const isDue = isPolling(this.#state) || this.#isOutdated;
    if (isDue && !document.hidden && !this.#isStopped) {
      void this.catchUp();
    }
  }

  #reopen() {
    if (this.#state.isClosed && !document.hidden && !this.#isStopped) {
      this.#close();
      this.#open();
    }
  }

  /**
   * @param {string} name
   * @param {unknown} detail
   */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

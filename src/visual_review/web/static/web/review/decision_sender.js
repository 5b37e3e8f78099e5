// Sends decisions one after the other until the server has each of them, exactly once.

import {
  EMPTY_QUEUE,
  addEntry,
  confirmEntry,
  markAsking,
  markLost,
  markSending,
  markSignedIn,
  markSignedOut,
  nextEntry,
  removeEntry,
  retryDelay,
  settleEntry,
} from "./decision_queue.js";
import { RefusedError, SignedOutError, UnreachableError } from "./requests.js";

/** @import { Queue, QueueEntry } from "./decision_queue.js" */
/** @import { DecisionResult } from "./wire.js" */

/**
 * @typedef {object} SenderParts
 * @property {(entry: QueueEntry) => Promise<DecisionResult>} post
 * @property {{write: (entries: readonly QueueEntry[]) => void}} storage
 * @property {(milliseconds: number, then: () => void) => () => void} wait Returns how to stop waiting.
 */

/**
 * Events: `queue` after every change, `confirmed` ({entry, result}), `refused` ({entry, error}),
 * `question` ({entry, error}), `signedout` ({signInUrl}).
 */
export class DecisionSender extends EventTarget {
  /** @type {Queue} */
  queue = EMPTY_QUEUE;
  #parts;
  /** @type {(() => void) | null} */
  #stopWaiting = null;

  /** @param {SenderParts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
  }

  /**
   * Go on with entries of an earlier load of the page.
   * @param {readonly QueueEntry[]} entries
   */
  restore(entries) {
    this.#change({ ...this.queue, entries: [...entries, ...this.queue.entries] });
    void this.#sendNext();
  }

  /** @param {QueueEntry} entry */
  add(entry) {
    this.#change(addEntry(this.queue, entry));
    void this.#sendNext();
  }

  /**
   * @param {string} requestId
   * @param {{confirmed: string, seen: string}} confirmation
   */
  confirm(requestId, confirmation) {
    this.#change(confirmEntry(this.queue, requestId, confirmation));
    void this.#sendNext();
  }

  /** @param {string} requestId */
  withdraw(requestId) {
    this.#change(removeEntry(this.queue, requestId));
    void this.#sendNext();
  }

  /** The network or the session is back, or a person asked: try now. */
  retryNow() {
    if (this.queue.entries.some((entry) => entry.status === "sending")) {
      return;
    }
    this.#stopWaiting?.();
    this.#stopWaiting = null;
    this.#change(markSignedIn(this.queue));
    void this.#sendNext();
  }

  async #sendNext() {
    const entry = nextEntry(this.queue);
    if (!entry || this.#stopWaiting) {
      return;
    }
    this.#change(markSending(this.queue, entry.requestId));
    try {
      const result = await this.#parts.post(entry);
      // The server's data comes first: decisions shown meanwhile lie on top.
      this.#emit("confirmed", { entry, result });
      this.#change(settleEntry(this.queue, entry.requestId, result.decisionId));
    } catch (error) {
      this.#handleFailure(entry, error);
    }
    void this.#sendNext();
  }

  /**
   * @param {QueueEntry} entry
   * @param {unknown} error
   */
  #handleFailure(entry, error) {
    if (error instanceof SignedOutError) {
      this.#change(markSignedOut(this.queue, entry.requestId));
      this.#emit("signedout", { signInUrl: error.signInUrl });
    } else if (error instanceof RefusedError && error.needs) {
      this.#change(markAsking(this.queue, entry.requestId));
      this.#emit("question", { entry, error });
    } else if (error instanceof RefusedError) {
      this.#change(removeEntry(this.queue, entry.requestId));
      this.#emit("refused", { entry, error });
    } else if (error instanceof UnreachableError) {
      this.#change(markLost(this.queue, entry.requestId));
      this.#waitAndRetry();
    } else {
      throw error;
    }
  }

  #waitAndRetry() {
    this.#stopWaiting = this.#parts.wait(retryDelay(this.queue.losses, Math.random()), () => {
      this.#stopWaiting = null;
      void this.#sendNext();
    });
  }

  /** @param {Queue} queue */
  #change(queue) {
    this.queue = queue;
    this.#parts.storage.write(queue.entries);
    this.#emit("queue", null);
  }

  /**
   * @param {string} name
   * @param {unknown} detail
   */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

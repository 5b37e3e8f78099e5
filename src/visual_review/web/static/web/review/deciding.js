// Connects the parts of deciding: the queue, its storage, the displayed rows, and the server's
// responses.

import { openStorage } from "./browser_storage.js";
import { DecisionRequests } from "./decision_requests.js";
import { DecisionSender } from "./decision_sender.js";
import { Decisions } from "./decisions.js";
import { DisplayedRows } from "./displayed_rows.js";
import { LiveRows } from "./live_rows.js";
import { LiveUpdates } from "./live_updates.js";
import { QueueStorage } from "./queue_storage.js";
import { createRequestId } from "./request_id.js";
import { describeUnsaved } from "./sentences.js";

/** @import { Announcer } from "./announcer.js" */
/** @import { QueueEntry } from "./decision_queue.js" */
/** @import { PageContext } from "./page_context.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { DecisionResult } from "./wire.js" */

/**
 * @param {{context: PageContext, store: ReviewStore, announcer: Announcer, reload: () => Promise<void>}} parts
 */
export function createDeciding({ context, store, announcer, reload }) {
  const { buildId, reviewerId, urls } = context;
  const own = openStorage("sessionStorage");
  const storage = new QueueStorage({ shared: openStorage("localStorage"), own }, { buildId, reviewerId, loadId: createRequestId() });
  const requests = new DecisionRequests(context);
  const sender = new DecisionSender({ post: (entry) => requests.post(entry), storage, wait });
  const rows = new DisplayedRows(store);
  const storageKey = `visual-review.undo.${reviewerId}.${buildId}`;
  const decisions = new Decisions({ store, rows, sender, storage: own, storageKey });
  const liveRows = new LiveRows(store, rows, announcer);
  const live = new LiveUpdates({
    urls,
    cursor: () => store.snapshot?.cursor ?? "",
    isSending: () => sender.queue.entries.some((entry) => entry.status === "sending"),
    revision: () => liveRows.revision,
    apply: (changes, read) => liveRows.apply(changes, read),
    reload,
  });
  sender.addEventListener("confirmed", (event) => {
    const { entry } = /** @type {CustomEvent<{entry: QueueEntry, result: DecisionResult}>} */ (event).detail;
    liveRows.markDecided(entry.effects.map(([id]) => id));
  });
  sender.addEventListener("queue", () => live.catchUpIfOutdated());
  globalThis.addEventListener("online", () => sender.retryNow());

  /** Continue with the entries that an earlier load left; call after loading the index. */
  function restore() {
    const entries = storage.adopt(Date.now());
    storage.startBeating();
    if (entries.length > 0) {
      announcer.notify(`${describeUnsaved(entries.length)} from before: sent now.`);
      sender.restore(entries);
    }
  }
  return { sender, rows, decisions, live, restore, drafts: own };
}

/**
 * @param {number} milliseconds
 * @param {() => void} then
 */
function wait(milliseconds, then) {
  const timer = setTimeout(then, milliseconds);
  return () => clearTimeout(timer);
}

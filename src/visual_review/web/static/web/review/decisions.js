// A person's decisions: shown at once, sent in order, undone step by step.

import { keep } from "./browser_storage.js";
import { createEntry, createUndoEntry, pendingDecisions } from "./decision_queue.js";
import { createRequestId } from "./request_id.js";
import { currentEffects, effectsOf, withoutSame } from "./targets.js";
import { confirmStep, parseSteps, pushStep, removeStep } from "./undo_stack.js";

/** @import { QueueEntry } from "./decision_queue.js" */
/** @import { DecisionSender } from "./decision_sender.js" */
/** @import { DisplayedRows } from "./displayed_rows.js" */
/** @import { KeyValueStore } from "./queue_storage.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Target } from "./targets.js" */
/** @import { DecisionResult } from "./wire.js" */

/**
 * @typedef {object} DecisionParts
 * @property {ReviewStore} store
 * @property {DisplayedRows} rows
 * @property {DecisionSender} sender
 * @property {KeyValueStore} storage
 * @property {string} storageKey
 */

/** Event `made` (detail: entry), for each decision and each undoing of one. */
export class Decisions extends EventTarget {
  #parts;
  /** @type {import("./undo_stack.js").UndoSteps} */
  #steps;

  /** @param {DecisionParts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    this.#steps = parseSteps(parts.storage.getItem(parts.storageKey));
    parts.sender.addEventListener("queue", () => this.#showQueue());
    parts.sender.addEventListener("confirmed", (event) => this.#confirm(event));
    parts.sender.addEventListener("refused", (event) => this.#forget(event));
  }

  get canUndo() {
    return this.#steps.length > 0;
  }

  /**
   * @param {Target} target
   * @param {"approved" | "rejected" | "cleared"} decision
   * @param {{comment?: string, confirmed?: string[]}} [options]
   * @returns {QueueEntry | null} Null where nothing would change.
   */
  decide(target, decision, { comment = "", confirmed = [] } = {}) {
    const { snapshot, current } = this.#parts.store;
    if (!snapshot) {
      return null;
    }
    const shown = decision === "cleared" ? "" : decision;
    const changed = withoutSame(target, snapshot, shown);
    if (target.type !== "build" && changed.ids.length === 0) {
      return null;
    }
    const entry = createEntry({
      requestId: createRequestId(),
      request: { decision, ...target.request, comment, confirmed, seen: snapshot.cursor },
      effects: effectsOf(changed, shown),
      before: currentEffects(changed, snapshot),
      label: target.label,
      madeAt: Date.now(),
    });
    this.#setSteps(pushStep(this.#steps, entry, current ?? ""));
    this.#send(entry);
    return entry;
  }

  /**
   * Undo the newest decision of this page that is not undone yet.
   * @returns {import("./undo_stack.js").UndoStep | null}
   */
  undo() {
    const step = this.#steps.at(-1);
    if (!step) {
      return null;
    }
    this.#setSteps(this.#steps.slice(0, -1));
    this.#send(createUndoEntry(step, createRequestId(), Date.now()));
    return step;
  }

  /**
   * Withdraw a decision that the server asked about.
   * @param {QueueEntry} entry
   */
  withdraw(entry) {
    this.#setSteps(removeStep(this.#steps, entry.requestId));
    this.#parts.sender.withdraw(entry.requestId);
  }

  /** @param {QueueEntry} entry */
  #send(entry) {
    this.#parts.sender.add(entry);
    this.dispatchEvent(new CustomEvent("made", { detail: entry }));
  }

  #showQueue() {
    this.#parts.rows.showPending(pendingDecisions(this.#parts.sender.queue));
  }

  /** @param {Event} event */
  #confirm(event) {
    const { entry, result } = /** @type {CustomEvent<{entry: QueueEntry, result: DecisionResult}>} */ (event).detail;
    this.#setSteps(confirmStep(this.#steps, entry.requestId, result.decisionId, result.undoable));
  }

  /** @param {Event} event */
  #forget(event) {
    const { entry } = /** @type {CustomEvent<{entry: QueueEntry}>} */ (event).detail;
    this.#setSteps(removeStep(this.#steps, entry.requestId));
  }

  /** @param {import("./undo_stack.js").UndoSteps} steps */
  #setSteps(steps) {
    this.#steps = steps;
    const { storage, storageKey } = this.#parts;
    keep(storage, storageKey, steps.length > 0 ? JSON.stringify(steps) : "");
  }
}

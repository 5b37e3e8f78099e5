// Decisions on their way to the server, as data: their order, states and displayed effects.
// Everything here is pure; decision_sender.js has the effects.

/** @import { Decision } from "./types.js" */

/**
 * The request of a decision, as read by the server.
 * @typedef {object} DecisionRequest
 * @property {"approved" | "rejected" | "cleared"} decision
 * @property {string[]} [screenshots]
 * @property {string[]} [stories]
 * @property {{id: string, revision: string}[]} [groups]
 * @property {boolean} [build]
 * @property {boolean} [includeUnchanged]
 * @property {string} [comment]
 * @property {string} seen The cursor of the rows that the person saw.
 * @property {string[]} [confirmed]
 */

/** @typedef {[id: string, decision: Decision]} Effect */

/**
 * One decision, or the undoing of one. `effects` are shown until the server has confirmed the
 * decision, and `before` are the replaced values. `undoes` names another entry's request;
 * `decisionId` is the server's name of the other decision, once known.
 * @typedef {object} QueueEntry
 * @property {string} requestId
 * @property {DecisionRequest | null} request Null for undoing.
 * @property {string} undoes
 * @property {string} decisionId
 * @property {Effect[]} effects
 * @property {Effect[]} before
 * @property {string} label The subject, for messages.
 * @property {number} madeAt
 * @property {"waiting" | "sending" | "asking"} status
 * @property {number} attempts
 */

/** @typedef {{entries: readonly QueueEntry[], losses: number, isSignedOut: boolean}} Queue */

/** @type {Queue} */
export const EMPTY_QUEUE = Object.freeze({ entries: [], losses: 0, isSignedOut: false });

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;
// A decision that waited for longer than this was made about other images.
const DISCARD_AFTER = 24 * 60 * 60 * 1000;

/**
 * @param {Pick<QueueEntry, "requestId" | "request" | "effects" | "before" | "label" | "madeAt">} made
 * @returns {QueueEntry}
 */
export function createEntry(made) {
  return { ...made, undoes: "", decisionId: "", status: "waiting", attempts: 0 };
}

/**
 * Return the entry that undoes a decision, shown as the state before.
 * @param {{requestId: string, decisionId: string, before: Effect[], effects: Effect[], label: string}} decision
 * @param {string} requestId
 * @param {number} madeAt
 * @returns {QueueEntry}
 */
export function createUndoEntry(decision, requestId, madeAt) {
  const { before, effects, label, decisionId } = decision;
  const made = { requestId, request: null, effects: before, before: effects, label, madeAt };
  return { ...createEntry(made), undoes: decision.requestId, decisionId };
}

/**
 * Add an entry at the end. Undoing an unsent decision removes the decision instead.
 * @param {Queue} queue
 * @param {QueueEntry} entry
 * @returns {Queue}
 */
export function addEntry(queue, entry) {
  const undone = queue.entries.find((each) => each.requestId === entry.undoes);
  if (undone?.status === "waiting" && undone.attempts === 0) {
    return removeEntry(queue, undone.requestId);
  }
  return { ...queue, entries: [...queue.entries, entry] };
}

/**
 * Return the entry to send now: the first one, unless under way or waiting for a person.
 * @param {Queue} queue
 */
export function nextEntry(queue) {
  const [first] = queue.entries;
  return first?.status === "waiting" && !queue.isSignedOut ? first : null;
}

/**
 * @param {Queue} queue
 * @param {string} requestId
 */
export function markSending(queue, requestId) {
  return replaceEntry(queue, requestId, (entry) => ({ ...entry, status: "sending", attempts: entry.attempts + 1 }));
}

/**
 * Mark an entry with an unknown result: the same request is sent again.
 * @param {Queue} queue
 * @param {string} requestId
 * @returns {Queue}
 */
export function markLost(queue, requestId) {
  const waiting = replaceEntry(queue, requestId, (entry) => ({ ...entry, status: "waiting" }));
  return { ...waiting, losses: queue.losses + 1 };
}

/**
 * The session ended: nothing is sent until someone has signed in.
 * @param {Queue} queue
 * @param {string} requestId
 * @returns {Queue}
 */
export function markSignedOut(queue, requestId) {
  const waiting = replaceEntry(queue, requestId, (entry) => ({ ...entry, status: "waiting" }));
  return { ...waiting, isSignedOut: true };
}

/**
 * @param {Queue} queue
 * @returns {Queue}
 */
export function markSignedIn(queue) {
  return { ...queue, isSignedOut: false, losses: 0 };
}

/**
 * The server asks before acting; nothing was written.
 * @param {Queue} queue
 * @param {string} requestId
 * @returns {Queue}
 */
export function markAsking(queue, requestId) {
  return { ...replaceEntry(queue, requestId, (entry) => ({ ...entry, status: "asking" })), losses: 0 };
}

/**
 * Send the entry again with the person's confirmation, and the cursor of the rows they were shown.
 * @param {Queue} queue
 * @param {string} requestId
 * @param {{confirmed: string, seen: string}} confirmation
 * @returns {Queue}
 */
export function confirmEntry(queue, requestId, { confirmed, seen }) {
  return replaceEntry(queue, requestId, (entry) => {
    if (!entry.request) {
      return entry;
    }
    const all = [...new Set([...(entry.request.confirmed ?? []), confirmed])];
    return { ...entry, request: { ...entry.request, confirmed: all, seen }, status: "waiting" };
  });
}

/**
 * The server has the decision. Waiting undo entries learn the decision's name.
 * @param {Queue} queue
 * @param {string} requestId
 * @param {string} decisionId
 * @returns {Queue}
 */
export function settleEntry(queue, requestId, decisionId) {
  const entries = queue.entries
    .filter((entry) => entry.requestId !== requestId)
    .map((entry) => (entry.undoes === requestId ? { ...entry, decisionId } : entry));
  return { ...queue, entries, losses: 0 };
}

/**
 * Remove a refused or withdrawn entry, and its undo entry.
 * @param {Queue} queue
 * @param {string} requestId
 * @returns {Queue}
 */
export function removeEntry(queue, requestId) {
  const entries = queue.entries.filter((entry) => entry.requestId !== requestId && entry.undoes !== requestId);
  return { ...queue, entries, losses: 0 };
}

/**
 * Return milliseconds until the next attempt; grows with the losses in a row.
 * @param {number} losses
 * @param {number} [spread] 0 to 1, so that many pages do not come back at once
 */
export function retryDelay(losses, spread = 0) {
  const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.max(0, losses - 1));
  return losses === 0 ? 0 : Math.round(delay * (1 + spread / 4));
}

/**
 * Return the displayed decision of each screenshot that has one on its way; the last one wins.
 * @param {Queue} queue
 * @returns {Map<string, Decision>}
 */
export function pendingDecisions(queue) {
  return new Map(queue.entries.flatMap((entry) => entry.effects));
}

/**
 * @param {readonly QueueEntry[]} entries
 * @returns {string}
 */
export function serializeEntries(entries) {
  return JSON.stringify(entries);
}

/**
 * Return the entries of a stored text, without expired ones; all of them wait.
 * @param {string | null} text
 * @param {number} now
 * @returns {QueueEntry[]}
 */
export function parseEntries(text, now) {
  return readList(text)
    .filter(isEntry)
    .filter((entry) => now - entry.madeAt < DISCARD_AFTER)
    .map((entry) => ({ ...entry, status: "waiting", attempts: entry.attempts + 1 }));
}

/**
 * @param {string | null} text
 * @returns {unknown[]}
 */
function readList(text) {
  try {
    const value = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value : [];
  } catch (error) {
    // Another version of the page, or a person, may have written the text.
    if (error instanceof SyntaxError) {
      return [];
    }
    throw error;
  }
}

/**
 * @param {unknown} value
 * @returns {value is QueueEntry}
 */
function isEntry(value) {
  const entry = /** @type {Partial<QueueEntry> | null} */ (value);
  return (
    typeof entry?.requestId === "string" &&
    typeof entry.madeAt === "number" &&
    Array.isArray(entry.effects) &&
    Array.isArray(entry.before) &&
    (entry.request ? typeof entry.request.decision === "string" : typeof entry.undoes === "string")
  );
}

/**
 * @param {Queue} queue
 * @param {string} requestId
 * @param {(entry: QueueEntry) => QueueEntry} change
 * @returns {Queue}
 */
function replaceEntry(queue, requestId, change) {
  const entries = queue.entries.map((entry) => (entry.requestId === requestId ? change(entry) : entry));
  return { ...queue, entries };
}

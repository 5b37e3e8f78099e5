// The server's responses to decisions: taken over, asked about, refused, summed up.

import { decodeRows } from "../navigator/model/snapshot.js";
import { askToFinalize, askToOverride } from "./decision_dialogs.js";
import { createDialog, showDialog } from "./dialog.js";
import { element } from "./dom.js";
import { countProgress } from "./progress.js";
import { RefusedError, SignedOutError, UnreachableError, getJson } from "./requests.js";
import { describeDecided, describeFinalized, showSummary } from "./summary_dialog.js";

/** @import { Announcer } from "./announcer.js" */
/** @import { DecisionBar } from "./decision_bar.js" */
/** @import { QueueEntry } from "./decision_queue.js" */
/** @import { DecisionSender } from "./decision_sender.js" */
/** @import { Decisions } from "./decisions.js" */
/** @import { DetailsCache } from "./details_cache.js" */
/** @import { DisplayedRows } from "./displayed_rows.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { DecisionResult, ErrorBody, NextBuild } from "./wire.js" */

/**
 * @typedef {object} ResponseParts
 * @property {ReviewStore} store
 * @property {DisplayedRows} rows
 * @property {DecisionSender} sender
 * @property {Decisions} decisions
 * @property {DecisionBar} bar
 * @property {Announcer} announcer
 * @property {DetailsCache} details
 * @property {string} nextUrl
 * @property {() => void} markOutdated Changed rows were not sent.
 */

/** @type {Readonly<Record<string, "approve" | "reject" | "clear">>} */
const VERBS = { approved: "approve", rejected: "reject", cleared: "clear" };

export class Responses {
  #parts;
  /** @type {HTMLDialogElement | null} */
  #work = null;

  /** @param {ResponseParts} parts */
  constructor(parts) {
    this.#parts = parts;
    const { sender, decisions } = parts;
    sender.addEventListener("confirmed", (event) => this.#confirm(/** @type {CustomEvent} */ (event).detail));
    sender.addEventListener("question", (event) => void this.#ask(/** @type {CustomEvent} */ (event).detail));
    sender.addEventListener("refused", (event) => this.#refuse(/** @type {CustomEvent} */ (event).detail));
    decisions.addEventListener("made", (event) => this.#forgetProblems(/** @type {CustomEvent<QueueEntry>} */ (event).detail));
  }

  /**
   * Show that the server works on something that takes seconds.
   * @param {string} label
   */
  showWork(label) {
    this.#work?.close();
    const body = element("div", { class: "dialog__body" }, element("progress", { class: "progress", "aria-label": label }), element("p", { class: "muted" }, "This may take some seconds."));
    const dialog = createDialog(label, body, "work");
    this.#work = dialog;
    showDialog(dialog);
  }

  /** @param {{entry: QueueEntry, result: DecisionResult}} confirmed */
  #confirm({ entry, result }) {
    const { store, rows, announcer } = this.#parts;
    const { snapshot } = store;
    if (!snapshot) {
      return;
    }
    if (result.screenshots) {
      rows.receive(decodeRows(/** @type {any} */ (result), snapshot));
    } else {
      this.#parts.markOutdated();
    }
    store.setBuild(result.build);
    this.#endWork();
    if (result.finalized) {
      void this.#sumUp(`Build #${result.build.number} approved`, describeFinalized(result.build, result), result.build.historyUrl);
    } else if (entry.request?.build) {
      announcer.notify(`Build #${result.build.number}: ${result.decided} decided.`, { look: "success" });
    } else {
      this.#sumUpDecided(entry);
    }
    for (const warning of result.finalized ? [] : result.warnings) {
      announcer.notify(warning, { look: "warning" });
    }
  }

  /**
   * Sum up after the last missing decision, not after every later one.
   * @param {QueueEntry} entry
   */
  #sumUpDecided({ before, effects }) {
    const { store, sender } = this.#parts;
    const isNew = before.some(([, decision]) => !decision) && effects.some(([, decision]) => decision);
    if (!store.snapshot || !isNew || sender.queue.entries.length > 1) {
      return;
    }
    const { build } = store.snapshot;
    const progress = countProgress(store.snapshot);
    if (progress.decided === progress.total && progress.removalsOpen === 0 && build.reviewState !== "approved") {
      void this.#sumUp("Everything is decided", describeDecided(build, progress), null);
    }
  }

  /**
   * @param {string} title
   * @param {readonly string[]} lines
   * @param {string | null} historyUrl
   */
  async #sumUp(title, lines, historyUrl) {
    this.#parts.announcer.say(lines.join(" "));
    await showSummary(title, lines, { next: await this.#loadNext(), historyUrl });
  }

  /** @returns {Promise<NextBuild | null>} */
  async #loadNext() {
    try {
      return /** @type {NextBuild} */ (await getJson(this.#parts.nextUrl));
    } catch (error) {
      if (error instanceof RefusedError || error instanceof UnreachableError || error instanceof SignedOutError) {
        return null;
      }
      throw error;
    }
  }

  /** @param {{entry: QueueEntry, error: RefusedError}} question */
  async #ask({ entry, error }) {
    this.#endWork();
    const { body, needs } = error;
    const verb = VERBS[entry.request?.decision ?? ""] ?? "clear";
    const choice = needs === "finalize" ? await askToFinalize(entry.label, body) : await this.#askToOverride(entry, body, verb);
    const seen = this.#parts.store.snapshot?.cursor ?? "";
    if (choice && choice !== "look" && needs) {
      this.#parts.sender.confirm(entry.requestId, { confirmed: needs, seen });
      return;
    }
    this.#parts.decisions.withdraw(entry);
    this.#parts.announcer.notify(`Not saved: ${entry.label}. It is as it was.`);
    this.#parts.markOutdated();
    if (choice === "look") {
      this.#showUndecidedRemoval();
    }
  }

  /**
   * @param {QueueEntry} entry
   * @param {ErrorBody} body
   * @param {"approve" | "reject" | "clear"} verb
   */
  async #askToOverride(entry, body, verb) {
    const { store, details } = this.#parts;
    const about = body.conflicts?.[0]?.screenshotId ?? "";
    if (store.screenshot(about)) {
      // The page may have gone on to the next screenshot since.
      store.setCurrent(about);
    }
    try {
      await details.load([about]);
    } catch (error) {
      // Without images, the dialog still names the screenshot.
      if (!(error instanceof RefusedError || error instanceof UnreachableError || error instanceof SignedOutError)) {
        throw error;
      }
    }
    return askToOverride(entry.label, body, verb, details.get(about));
  }

  #showUndecidedRemoval() {
    const { store } = this.#parts;
    const shots = [...(store.snapshot?.screenshots.values() ?? [])];
    const found = shots.find((each) => each.state === "removed" && !each.decision);
    if (found) {
      store.setCurrent(found.id);
    }
  }

  /** @param {{entry: QueueEntry, error: RefusedError}} refused */
  #refuse({ entry, error }) {
    this.#endWork();
    const { announcer, bar } = this.#parts;
    const { restoreUrl } = error.body;
    const actions = restoreUrl ? [{ label: "Restore an earlier baseline", href: restoreUrl }] : [];
    announcer.notify(`Not saved: ${entry.label}. ${error.message}`, { look: "error", actions });
    bar.showProblem(entry.effects.map(([id]) => id), `Not saved: ${error.message}`);
    this.#parts.markOutdated();
  }

  /** @param {QueueEntry} entry */
  #forgetProblems(entry) {
    this.#parts.bar.showProblem(entry.effects.map(([id]) => id), "");
  }

  #endWork() {
    this.#work?.close();
    this.#work = null;
  }
}

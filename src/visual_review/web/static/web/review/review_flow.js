// A person's commands about decisions, with the questions before each.

import { findUndecided } from "../navigator/model/steps.js";
import { keep } from "./browser_storage.js";
import { askAboutSuperseded, askForComment, askToApproveBuild, askToApproveMembers } from "./decision_dialogs.js";
import { isDecidable } from "./order.js";
import { RefusedError, SignedOutError, UnreachableError, getJson } from "./requests.js";
import { describeDecision } from "./sentences.js";
import { nameScreenshot, targetBuild, targetGroupOrStory, targetScreenshot, targetSelection, targetStory } from "./targets.js";

/** @import { ScreenshotViewer } from "../viewer/screenshot_viewer.js" */
/** @import { Announcer } from "./announcer.js" */
/** @import { QueueEntry } from "./decision_queue.js" */
/** @import { DecisionSender } from "./decision_sender.js" */
/** @import { Decisions } from "./decisions.js" */
/** @import { DetailsCache } from "./details_cache.js" */
/** @import { KeyValueStore } from "./queue_storage.js" */
/** @import { Selection } from "./selection.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Target } from "./targets.js" */
/** @import { ApprovalPreview, Snapshot } from "./types.js" */

/**
 * @typedef {object} FlowParts
 * @property {ReviewStore} store
 * @property {Decisions} decisions
 * @property {DecisionSender} sender
 * @property {Selection} selection
 * @property {Announcer} announcer
 * @property {DetailsCache} details
 * @property {ScreenshotViewer} viewer
 * @property {KeyValueStore} drafts
 * @property {string} draftPrefix
 * @property {string} approvalUrl
 * @property {() => number} countUnseen
 * @property {(label: string) => void} showWork Long work has begun.
 */

export class ReviewFlow {
  #parts;
  /** The newer build that the person knows of, and decides in this one all the same. */
  #superseded = 0;

  /** @param {FlowParts} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.sender.addEventListener("refused", (event) => this.#keepComment(/** @type {CustomEvent<{entry: QueueEntry}>} */ (event).detail.entry));
  }

  approve() {
    return this.#approve(this.#target());
  }

  async clear() {
    const target = this.#target();
    const snapshot = target && this.#decidableSnapshot();
    if (snapshot && (await this.#decidesHere(snapshot, target))) {
      this.#decide(target, "cleared");
    }
  }

  async reject() {
    await this.#reject(this.#target());
  }

  /** Whether all changes of the current screenshot's group were in view. */
  isGroupSeen() {
    const { store } = this.#parts;
    const target = this.#groupTarget();
    return target === null || target.ids.length < 2 || target.ids.every((id) => store.isSeen(id));
  }

  approveGroup() {
    return this.#approve(this.#groupTarget());
  }

  async rejectGroup() {
    await this.#reject(this.#groupTarget());
  }

  /**
   * Decide the chosen members of a group in the grid, after a confirmation of their number.
   * @param {Target} target
   * @param {"approved" | "rejected"} decision
   * @param {number} unseen How many members were not completely in view.
   */
  async decideMembers(target, decision, unseen) {
    if (decision === "rejected") {
      return this.#reject(target);
    }
    const isSure = await askToApproveMembers(target.label, target.ids.length, unseen);
    return isSure === true && this.#approve(target);
  }

  approveStory() {
    return this.#approve(this.#storyTarget());
  }

  async rejectStory() {
    await this.#reject(this.#storyTarget());
  }

  undo() {
    const step = this.#parts.decisions.undo();
    if (!step) {
      this.#parts.announcer.notify("There is nothing to undo on this page.");
      return;
    }
    this.#parts.announcer.say(`Undone: ${step.label}`);
    // People want to see the undone screenshot.
    if (step.place) {
      this.#parts.store.setCurrent(step.place);
    }
  }

  async approveBuild() {
    const snapshot = this.#decidableSnapshot();
    if (!snapshot || !(await this.#decidesHere(snapshot, targetBuild(snapshot, false)))) {
      return;
    }
    const preview = await this.#loadPreview();
    if (!preview) {
      return;
    }
    const { build, unchangedCount } = snapshot;
    const chosen = await askToApproveBuild(build.number, preview, { unchanged: unchangedCount, unseen: this.#parts.countUnseen() });
    if (chosen) {
      this.#parts.showWork(`Approving build #${build.number}…`);
      this.#parts.decisions.decide(targetBuild(snapshot, chosen.includeUnchanged), "approved", { confirmed: chosen.confirmed });
    }
  }

  async rejectBuild() {
    const snapshot = this.#decidableSnapshot();
    if (snapshot) {
      const isSent = await this.#reject(targetBuild(snapshot, false));
      if (isSent) {
        this.#parts.showWork(`Rejecting build #${snapshot.build.number}…`);
      }
    }
  }

  /** @param {Target | null} target */
  async #approve(target) {
    return target !== null && (await this.#mayDecide(target)) && this.#decide(target, "approved");
  }

  /**
   * Whether the images are shown, and the person wants to decide in this build.
   * @param {Target} target
   */
  async #mayDecide(target) {
    const { announcer, viewer } = this.#parts;
    if (target.type !== "selection" && target.type !== "build" && !viewer.isPainted) {
      announcer.notify("Loading: decide once the images are shown.");
      return false;
    }
    const snapshot = this.#decidableSnapshot();
    return snapshot !== null && this.#decidesHere(snapshot, target);
  }

  /**
   * Ask once where a newer push has superseded the build.
   * @param {Snapshot} snapshot
   * @param {Target} target
   */
  async #decidesHere({ build }, target) {
    const { supersededBy } = build;
    if (!supersededBy || this.#superseded === supersededBy.number) {
      return true;
    }
    const [only] = target.ids;
    const newer = only && target.ids.length === 1 ? (this.#parts.details.get(only)?.newerId ?? null) : null;
    const choice = await askAboutSuperseded(build.number, supersededBy, newer);
    if (choice === "here") {
      this.#superseded = supersededBy.number;
    } else if (choice) {
      location.assign(choice);
    }
    return choice === "here";
  }

  /**
   * @param {Target | null} target
   * @param {"approved" | "rejected" | "cleared"} decision
   * @param {string} [comment]
   */
  #decide(target, decision, comment = "") {
    const { decisions, announcer, store, selection } = this.#parts;
    if (!target || !this.#decidableSnapshot()) {
      return false;
    }
    if (target.type !== "build" && target.ids.length === 0) {
      announcer.notify("There is nothing to decide here: none of these screenshots has a result.");
      return false;
    }
    const entry = decisions.decide(target, decision, { comment });
    selection.clear();
    if (decision !== "cleared" && target.type !== "build") {
      this.#advance(target.ids, store);
    }
    const shown = store.screenshot(store.current ?? "");
    const now = shown ? `. Shown now: ${nameScreenshot(shown)}` : "";
    announcer.say((entry ? describeDecision(decision, target.label) : `Nothing to change: ${target.label}`) + now);
    return true;
  }

  /** @param {Target | null} target */
  async #reject(target) {
    if (!target || !this.#decidableSnapshot() || !(await this.#mayDecide(target))) {
      return false;
    }
    const { drafts } = this.#parts;
    const key = this.#draftKey(target.request);
    const keepDraft = (/** @type {string} */ text) => keep(drafts, key, text);
    const comment = await askForComment(target.label, { draft: drafts.getItem(key) ?? "", keepDraft });
    if (comment === null || !this.#decide(target, "rejected", comment)) {
      return false;
    }
    keepDraft("");
    return true;
  }

  /** @param {Target["request"]} request */
  #draftKey({ screenshots = [], stories = [], groups = [] }) {
    const named = [...screenshots, ...stories, ...groups.map((each) => each.id)];
    return this.#parts.draftPrefix + (named.join(" ").slice(0, 200) || "build");
  }

  /** @param {QueueEntry} entry */
  #keepComment({ request }) {
    if (request?.comment) {
      keep(this.#parts.drafts, this.#draftKey(request), request.comment);
    }
  }

  /**
   * Go to the next undecided screenshot after the given ones; stay where none is left.
   * @param {readonly string[]} ids
   * @param {ReviewStore} store
   */
  #advance(ids, store) {
    const visible = store.visibleIds();
    const passed = new Set(ids);
    const last = visible.findLast((id) => passed.has(id)) ?? store.current;
    const next = store.snapshot ? findUndecided(visible, last, store.snapshot.screenshots) : null;
    if (next !== null) {
      store.setCurrent(next);
    }
  }

  #decidableSnapshot() {
    const { store, announcer } = this.#parts;
    const { snapshot } = store;
    if (!snapshot) {
      return null;
    }
    if (!snapshot.me.mayReview) {
      announcer.notify("You can view this build, not decide. An owner of the organization can make you a reviewer.");
      return null;
    }
    if (!snapshot.build.decidable) {
      announcer.notify("This build cannot be decided: it is not completed.");
      return null;
    }
    return snapshot;
  }

  #target() {
    const { snapshot, current, selection } = this.#parts.store;
    if (!snapshot || current === null) {
      return null;
    }
    if (selection.size > 0) {
      return targetSelection(snapshot, selection);
    }
    const screenshot = snapshot.screenshots.get(current);
    return screenshot && isDecidable(screenshot) ? targetScreenshot(screenshot) : this.#explainUndecidable();
  }

  #groupTarget() {
    const { snapshot, current } = this.#parts.store;
    const screenshot = current === null ? undefined : snapshot?.screenshots.get(current);
    return snapshot && screenshot ? targetGroupOrStory(snapshot, screenshot) : null;
  }

  #storyTarget() {
    const { snapshot, current } = this.#parts.store;
    const screenshot = current === null ? undefined : snapshot?.screenshots.get(current);
    return snapshot && screenshot ? targetStory(snapshot, screenshot) : null;
  }

  #explainUndecidable() {
    this.#parts.announcer.notify("A failed screenshot has no image to decide about. Approving the build accepts failures.");
    return null;
  }

  /** @returns {Promise<ApprovalPreview | null>} */
  async #loadPreview() {
    try {
      return /** @type {ApprovalPreview} */ (await getJson(this.#parts.approvalUrl));
    } catch (error) {
      if (!(error instanceof RefusedError || error instanceof UnreachableError || error instanceof SignedOutError)) {
        throw error;
      }
      this.#parts.announcer.notify(`Nothing was approved: ${error.message}`, { look: "error" });
      return null;
    }
  }
}

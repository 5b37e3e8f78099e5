// The bar above the list: the build, its state, the progress of its review, and actions on the
// whole build.

import { countOf, formatCount } from "../navigator/model/names.js";
import { button, element, setAttribute, setText } from "./dom.js";
import { shortcutOf } from "./key_map.js";
import { createMenu } from "./menu.js";
import { countProgress, primaryAction } from "./progress.js";
import { describeBuild, describeProgress, describeUnsaved } from "./sentences.js";

/** @import { ReviewStore } from "./store.js" */
/** @import { Build } from "./types.js" */

/**
 * @typedef {object} BuildActions
 * @property {() => void} approveBuild
 * @property {() => void} rejectBuild
 * @property {() => void} showFailures
 * @property {() => void} toggleFacts
 * @property {() => void} toggleLog
 * @property {() => void} toggleComments
 * @property {() => void} showHelp
 * @property {() => number} countUnseen
 */

/** @type {Readonly<Record<Build["reviewState"], string>>} */
const LOOKS = { unreviewed: "waiting", approved: "approved", rejected: "rejected", not_required: "unchanged" };
/** @type {Readonly<Record<Build["status"], string>>} */
const STATUS_LOOKS = { uploading: "pending", processing: "pending", completed: "unchanged", failed: "failed", expired: "failed" };

export class BuildBar {
  #store;
  #actions;
  #state = element("span", { class: "state" });
  #bar = element("progress", { class: "progress build-bar__bar", "aria-label": "Decided screenshots" });
  #progress = element("span", { class: "build-bar__count" });
  #unsaved = element("span", { class: "build-bar__unsaved badge", hidden: true });
  #connection = element("span", { class: "badge badge--bad", hidden: true }, "Server not reachable, trying again");
  #unseen = element("span", { class: "build-bar__unseen", title: "Screenshots of which something was not in view yet" });
  #superseded = element("a", { class: "build-bar__newer", hidden: true });
  #comments;
  #threads = element("span");
  #failures;
  #approve;
  #reject;
  #menu;

  /**
   * @param {HTMLElement} root
   * @param {ReviewStore} store
   * @param {BuildActions} actions
   */
  constructor(root, store, actions) {
    this.#store = store;
    this.#actions = actions;
    this.#failures = button("", { class: "badge badge--bad build-bar__failures", hidden: true }, actions.showFailures);
    const attributes = { class: "button button--small button--quiet build-bar__comments", title: "Comments", "aria-label": "Comments", "aria-expanded": "false", "aria-controls": "comments", "aria-keyshortcuts": shortcutOf("comments") };
    this.#comments = button("", attributes, actions.toggleComments);
    this.#comments.append(element("span", { class: "icon icon--comment", "aria-hidden": "true" }), this.#threads);
    this.#approve = button("Approve build…", { class: "button button--small", "aria-keyshortcuts": shortcutOf("approveBuild") }, actions.approveBuild);
    this.#reject = button("Reject build…", { class: "button button--small button--quiet build-bar__wide" }, actions.rejectBuild);
    this.#menu = createBuildMenu(actions);
    root.append(this.#state, this.#superseded, this.#failures, this.#progressPart(), this.#unsaved, this.#connection, this.#buttons());
    store.addEventListener("build", () => this.update());
    for (const name of ["rows", "seen"]) {
      store.addEventListener(name, () => this.update());
    }
  }

  /**
   * @param {number} count
   * @param {boolean} isStuck Whether saving takes longer than usual.
   */
  showUnsaved(count, isStuck) {
    this.#unsaved.hidden = count === 0;
    setText(this.#unsaved, isStuck ? describeUnsaved(count) : "Saving…");
    this.#unsaved.classList.toggle("badge--warn", isStuck);
  }

  /** @param {number} open How many threads of the branch are open. */
  showOpenThreads(open) {
    setText(this.#threads, open > 0 ? formatCount(open) : "");
    setAttribute(this.#comments, "aria-label", open > 0 ? `Comments, ${countOf(open, "open thread")}` : "Comments");
  }

  /** @param {boolean} isReachable */
  showConnection(isReachable) {
    this.#connection.hidden = isReachable;
  }

  update() {
    const { snapshot } = this.#store;
    if (!snapshot) {
      return;
    }
    const { build, me } = snapshot;
    const progress = countProgress(snapshot);
    const primary = primaryAction(snapshot, progress);
    setText(this.#state, describeBuild(build));
    this.#state.className = `state state--${build.status === "completed" ? LOOKS[build.reviewState] : STATUS_LOOKS[build.status]}`;
    setText(this.#progress, describeProgress(progress));
    this.#bar.max = Math.max(1, progress.total);
    this.#bar.value = progress.decided;
    this.#failures.hidden = progress.failed === 0;
    setText(this.#failures, `${countOf(progress.failed, "failure")}`);
    this.#showSuperseded(build);
    const mayDecide = me.mayReview && build.decidable;
    const unseen = this.#actions.countUnseen();
    this.#unseen.hidden = !mayDecide || unseen === 0;
    this.#unseen.replaceChildren(formatCount(unseen), element("span", {}, " not all in view"));
    this.#approve.hidden = !mayDecide || build.reviewState === "approved";
    this.#reject.hidden = !mayDecide;
    this.#menu.querySelector(".build-bar__reject")?.toggleAttribute("hidden", !mayDecide);
    this.#approve.classList.toggle("button--primary", primary === "build");
  }

  /** @param {Build} build */
  #showSuperseded({ supersededBy }) {
    this.#superseded.hidden = !supersededBy;
    if (supersededBy) {
      setText(this.#superseded, `Newer build #${supersededBy.number}`);
      setAttribute(this.#superseded, "href", supersededBy.url);
    }
  }

  #progressPart() {
    return element("span", { class: "build-bar__review" }, this.#bar, this.#progress);
  }

  #buttons() {
    const quiet = "button button--small button--quiet build-bar__wide";
    const { toggleFacts, toggleLog, showHelp } = this.#actions;
    return element(
      "span",
      { class: "build-bar__buttons" },
      button("About", { class: quiet, "aria-expanded": "false", "aria-controls": "about-build" }, toggleFacts),
      button("Review log", { class: quiet, "aria-expanded": "false", "aria-controls": "review-log" }, toggleLog),
      this.#comments,
      button("Keys", { class: quiet, "aria-keyshortcuts": "?", title: "Show all keys (?)" }, showHelp),
      this.#reject,
      this.#unseen,
      this.#approve,
      this.#menu,
    );
  }
}

/**
 * The buttons of the bar that have no room on a narrow page.
 *
 * @param {BuildActions} actions
 */
function createBuildMenu({ toggleFacts, toggleLog, toggleComments, showHelp, rejectBuild }) {
  const items = [
    { label: "About this build", press: toggleFacts },
    { label: "Review log", press: toggleLog },
    { label: "Comments", press: toggleComments, shortcut: shortcutOf("comments") },
    { label: "Keys", press: showHelp, shortcut: shortcutOf("help") },
    { label: "Reject build…", press: rejectBuild, look: "build-bar__reject" },
  ];
  return createMenu({ id: "more-of-build", label: "Build", look: "build-bar__menu", opener: "button button--small button--quiet" }, items);
}

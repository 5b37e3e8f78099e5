// The bar at the foot of the screenshot: the position, the decision, and the buttons for deciding.

import { countOf, formatCount } from "../navigator/model/names.js";
import { createMoreMenu } from "./decision_menu.js";
import { button, element, setAttribute, setText } from "./dom.js";
import { findBinding, shortcutOf } from "./key_map.js";
import { isDecidable } from "./order.js";
import { countProgress, primaryAction } from "./progress.js";
import { describeDecider } from "./sentences.js";
import { nameScreenshot, targetGroupOrStory, targetSelection, withoutSame } from "./targets.js";

/** @import { ScreenshotViewer } from "../viewer/screenshot_viewer.js" */
/** @import { Command } from "./key_map.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Target } from "./targets.js" */
/** @import { Screenshot, Snapshot } from "./types.js" */

export class DecisionBar {
  #store;
  #viewer;
  #run;
  /** @type {Map<string, string>} Why a decision about a screenshot was refused. */
  #problems = new Map();
  #position = element("span", { class: "decision-bar__position" });
  #status = element("p", { class: "decision-bar__status" });
  #error = element("p", { class: "decision-bar__error", hidden: true });
  #buttons;
  #more;
  #isDue = false;

  /**
   * @param {HTMLElement} root
   * @param {{store: ReviewStore, viewer: ScreenshotViewer}} parts
   * @param {(command: Command) => void} run
   */
  constructor(root, { store, viewer }, run) {
    this.#store = store;
    this.#viewer = viewer;
    this.#run = run;
    this.#buttons = {
      previous: this.#createIconButton("Previous screenshot", "previous"),
      next: this.#createIconButton("Next screenshot", "next"),
      approve: this.#createButton("Approve", "approve", "decision-bar__approve"),
      reject: this.#createButton("Reject", "reject", "decision-bar__reject"),
      clear: this.#createButton("Clear", "clear", "button--quiet decision-bar__clear"),
      undo: this.#createButton("Undo", "undo", "button--quiet"),
      group: this.#createButton("Review group", "openGroup", "decision-bar__group"),
    };
    const { previous, next, approve, reject, clear, undo, group } = this.#buttons;
    this.#more = createMoreMenu(run);
    setDisabled(undo, true);
    root.append(
      element("div", { class: "decision-bar__place" }, previous, this.#position, next),
      element("div", { class: "decision-bar__buttons" }, approve, reject, clear, undo, group, this.#more),
      element("div", { class: "decision-bar__text" }, this.#status, this.#error),
    );
    for (const name of ["build", "rows", "items", "current", "selection"]) {
      store.addEventListener(name, () => this.#updateSoon());
    }
    viewer.addEventListener("viewerpainted", () => this.#updateSoon());
  }

  /**
   * @param {readonly string[]} ids
   * @param {string} reason Empty after the next decision.
   */
  showProblem(ids, reason) {
    for (const id of ids) {
      if (reason) {
        this.#problems.set(id, reason);
      } else {
        this.#problems.delete(id);
      }
    }
    this.#updateSoon();
  }

  focus() {
    this.#buttons.approve.focus();
  }

  /** @param {boolean} canUndo */
  showUndo(canUndo) {
    setDisabled(this.#buttons.undo, !canUndo);
  }

  // Several events come with one decision.
  #updateSoon() {
    if (!this.#isDue) {
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        this.#update();
      });
    }
  }

  #update() {
    const { snapshot, current } = this.#store;
    const screenshot = current === null ? undefined : this.#store.screenshot(current);
    if (!snapshot) {
      return;
    }
    const ids = this.#store.visibleIds();
    const place = current === null ? -1 : ids.indexOf(current);
    setText(this.#position, place < 0 ? formatCount(ids.length) : `${formatCount(place + 1)} of ${formatCount(ids.length)}`);
    setDisabled(this.#buttons.previous, place <= 0);
    setDisabled(this.#buttons.next, place >= ids.length - 1);
    const problem = current === null ? undefined : this.#problems.get(current);
    setText(this.#error, problem ?? "");
    this.#error.hidden = !problem;
    this.#updateDecisions(snapshot, screenshot);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Screenshot | undefined} screenshot
   */
  #updateDecisions(snapshot, screenshot) {
    const { approve, reject, clear, undo, group } = this.#buttons;
    const selected = this.#store.selection.size;
    const isShown = selected > 0 || this.#viewer.isPainted;
    const mayDecide = snapshot.me.mayReview && snapshot.build.decidable;
    const hasTarget = selected > 0 || isDecidable(screenshot);
    const label = this.#labelTarget(snapshot, screenshot);
    setText(this.#status, describeStatus(snapshot, screenshot, selected));
    setAttribute(this.#status, "data-decision", screenshot?.decision || "undecided");
    for (const each of [approve, reject, clear, undo, group, this.#more]) {
      each.hidden = !mayDecide;
    }
    this.#updateVerbs(hasTarget, isShown, label);
    nameButton(clear, "Clear", label);
    setDisabled(clear, selected === 0 && !screenshot?.decision);
    const isPrimary = primaryAction(snapshot, countProgress(snapshot)) === "screenshot";
    approve.classList.toggle("button--primary", isPrimary);
    this.#updateGroup(snapshot, screenshot, mayDecide && selected === 0);
  }

  /**
   * No one decides about images that are not shown yet.
   * @param {boolean} hasTarget
   * @param {boolean} isShown
   * @param {string} label
   */
  #updateVerbs(hasTarget, isShown, label) {
    const { approve, reject, group } = this.#buttons;
    const isLoading = hasTarget && !isShown;
    nameButton(approve, isLoading ? "Loading" : "Approve", label);
    nameButton(reject, isLoading ? "Loading" : "Reject", label);
    for (const each of [approve, reject, group]) {
      setDisabled(each, !hasTarget || isLoading);
    }
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Screenshot | undefined} screenshot
   * @param {boolean} isPossible
   */
  #updateGroup(snapshot, screenshot, isPossible) {
    const { group } = this.#buttons;
    const all = isPossible && screenshot && isDecidable(screenshot) ? targetGroupOrStory(snapshot, screenshot) : null;
    const target = all && withoutSame(all, snapshot, "approved");
    group.hidden = !target || target.ids.length < 2;
    if (target) {
      const count = formatCount(target.ids.length);
      nameButton(group, `Review ${count} ${describeMembers(target, snapshot, screenshot)}`, target.label);
    }
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Screenshot | undefined} screenshot
   */
  #labelTarget(snapshot, screenshot) {
    if (this.#store.selection.size > 0) {
      return targetSelection(snapshot, this.#store.selection).label;
    }
    return screenshot ? nameScreenshot(screenshot) : "";
  }

  /**
   * @param {string} label
   * @param {Command} command
   * @param {string} look
   */
  #createButton(label, command, look) {
    const shortcut = shortcutOf(command);
    const attributes = { class: `button ${look}`, "aria-keyshortcuts": shortcut, "data-tooltip": findBinding(command).label, "data-key": shortcut };
    const made = button("", attributes, () => this.#run(command));
    made.append(element("span", { class: "decision-bar__label" }, label), element("kbd", { class: "kbd", "aria-hidden": "true", "data-shortcut": shortcut }));
    return made;
  }

  /**
   * @param {string} label
   * @param {"previous" | "next"} command
   */
  #createIconButton(label, command) {
    const made = this.#createButton("", command, "button--quiet button--icon");
    setAttribute(made, "aria-label", label);
    made.replaceChildren(element("span", { class: `icon icon--${command}`, "aria-hidden": "true" }));
    return made;
  }
}

/**
 * A button that has nothing to do at the moment keeps the focus; a press says why.
 * @param {HTMLButtonElement} target
 * @param {boolean} isDisabled
 */
function setDisabled(target, isDisabled) {
  setAttribute(target, "aria-disabled", isDisabled && "true");
}

/**
 * @param {HTMLButtonElement} target
 * @param {string} verb The visible text.
 * @param {string} label The object of the verb.
 */
function nameButton(target, verb, label) {
  const text = target.querySelector(".decision-bar__label");
  if (text) {
    setText(text, verb);
  }
  setAttribute(target, "aria-label", label ? `${verb}: ${label}` : verb);
}

/**
 * @param {Target} target
 * @param {Snapshot} snapshot
 * @param {Screenshot | undefined} screenshot
 */
function describeMembers(target, snapshot, screenshot) {
  if (target.type !== "group") {
    return "variants";
  }
  const isAlike = snapshot.groups.get(screenshot?.groupId ?? "")?.isAlike;
  return isAlike ? "alike" : (screenshot?.state ?? "");
}

/**
 * @param {Snapshot} snapshot
 * @param {Screenshot | undefined} screenshot
 * @param {number} selected
 */
function describeStatus(snapshot, screenshot, selected) {
  if (selected > 0) {
    return `${countOf(selected, "screenshot")} selected`;
  }
  if (!screenshot) {
    return "";
  }
  if (screenshot.state === "failed") {
    return "Failed: there is no image to decide about";
  }
  if (screenshot.state === "pending") {
    return "Being compared";
  }
  if (!snapshot.me.mayReview) {
    return `${describeDecider(screenshot.decision, screenshot.decidedBy, screenshot.carriedOver)}. You can view this build, not decide.`;
  }
  return describeDecider(screenshot.decision, screenshot.decidedBy, screenshot.carriedOver);
}

// The middle of the page: the heading of a screenshot, the viewer, and facts about the screenshot.

import { findAll } from "../elements.js";
import { capitalize, formatShare, STATE_NAMES } from "../navigator/model/names.js";
import { element, setText } from "./dom.js";
import { idsAhead } from "./order.js";
import { RefusedError, SignedOutError, UnreachableError } from "./requests.js";
import { describeFacts } from "./screenshot_facts.js";
import { describeEmpty, describeSummary } from "./sentences.js";
import { nameScreenshot } from "./targets.js";
import { toViewerInput } from "./viewer_input.js";

/** @import { ScreenshotViewer } from "../viewer/screenshot_viewer.js" */
/** @import { DetailsCache } from "./details_cache.js" */
/** @import { ReviewStore } from "./store.js" */
/** @import { Pin } from "../viewer/types.js" */
/** @import { Details, Screenshot } from "./types.js" */

// Details of a window are loaded at once; images only as far as a hurried reader gets next.
const DETAILS_AHEAD = 40;
const DETAILS_RESERVE = 12;
const IMAGES_AHEAD = 3;

export class Stage {
  #root;
  #store;
  #details;
  #viewer;
  #path = element("bdi", { class: "stage__path" });
  #name = element("bdi", { class: "stage__name" });
  #variant = element("span", { class: "stage__variant" });
  #state = element("span", { class: "state" });
  #summary = element("p", { class: "stage__summary" });
  #facts = element("div", { class: "stage__facts" });
  #message = element("div", { class: "stage__message", hidden: true });
  /** @type {Details | null} The details in the viewer. */
  #shown = null;
  /** @type {readonly Pin[]} */
  #pins = [];

  /**
   * @param {HTMLElement} root
   * @param {{store: ReviewStore, details: DetailsCache, viewer: ScreenshotViewer, back: HTMLElement}} parts
   */
  constructor(root, { store, details, viewer, back }) {
    this.#root = root;
    this.#store = store;
    this.#details = details;
    this.#viewer = viewer;
    const title = element("h2", { class: "stage__title", tabindex: "-1" }, this.#name, this.#path);
    const attributes = { class: "button button--small button--quiet button--icon", "aria-label": "Details", title: "Details" };
    const opener = element("summary", attributes, element("span", { class: "icon icon--info", "aria-hidden": "true" }));
    const more = element("details", { class: "stage__more" }, opener, this.#facts);
    viewer.append(element("div", { class: "stage__head", slot: "title" }, back, title, this.#variant, this.#state, this.#summary, more));
    root.append(element("div", { class: "stage__viewer" }, viewer, this.#message));
    store.addEventListener("current", () => this.show());
    store.addEventListener("rows", (event) => this.#updateRows(/** @type {CustomEvent<readonly string[] | null>} */ (event).detail));
    details.addEventListener("details", () => this.#showDetails());
  }

  /** Show the current screenshot: the name at once, the images when their URLs are known. */
  show() {
    this.#showHeading();
    this.#showDetails();
    void this.#load();
  }

  #showHeading() {
    const screenshot = this.#current();
    const [name = "", ...folders] = (screenshot?.title ?? "").split("/").reverse();
    setText(this.#path, folders.length > 0 ? folders.reverse().join(" / ") : "");
    setText(this.#name, name);
    setText(this.#variant, screenshot ? `${screenshot.theme}, ${screenshot.device}` : "");
    this.#state.hidden = !screenshot;
    this.#state.className = `state state--${screenshot?.state ?? "unchanged"}`;
    setText(this.#state, screenshot ? STATE_NAMES[screenshot.state] : "");
  }

  #showDetails() {
    const { current } = this.#store;
    const details = current === null ? null : this.#details.get(current);
    const screenshot = this.#current();
    this.#message.hidden = true;
    if (!details) {
      // Never show the last screenshot's pixels under this one's name.
      this.#viewer.screenshot = null;
      this.#shown = null;
      setText(this.#summary, screenshot ? describeBriefly(screenshot) : "");
      this.#facts.replaceChildren();
      this.#showEmpty();
      return;
    }
    setText(this.#summary, describeSummary(details, screenshot ? describeBriefly(screenshot) : ""));
    this.#summary.title = this.#summary.textContent ?? "";
    this.#facts.replaceChildren(element("p", {}, this.#summary.title), describeFacts(details, screenshot));
    if (this.#shown?.id !== details.id || hasOtherImages(this.#shown, details)) {
      this.#shown = details;
      this.#viewer.screenshot = toViewerInput(details, screenshot, this.#pins);
    }
    this.#prefetchImages();
  }

  /**
   * Show pins at the given places of the current screenshot.
   *
   * @param {readonly Pin[]} pins
   */
  setPins(pins) {
    this.#pins = pins;
    if (this.#shown && this.#shown.id === this.#store.current) {
      this.#viewer.screenshot = toViewerInput(this.#shown, this.#current(), pins);
    }
  }

  #showEmpty() {
    const { current, snapshot } = this.#store;
    if (current === null && snapshot) {
      this.#showProblem(describeEmpty(snapshot), false);
    }
  }

  async #load() {
    const { current } = this.#store;
    if (current === null) {
      return;
    }
    try {
      await this.#details.load(this.#idsToLoad(current));
      if (this.#store.current === current && !this.#details.get(current)) {
        this.#showProblem("This screenshot is not part of this build.", false);
      }
    } catch (error) {
      if (!this.#details.get(current) && this.#store.current === current) {
        this.#showProblem(describeFailure(error), true);
      }
    }
  }

  /** @param {string} current */
  #idsToLoad(current) {
    const ahead = idsAhead(this.#store.visibleIds(), current, DETAILS_AHEAD);
    const near = ahead.slice(0, DETAILS_RESERVE);
    const isRunningOut = near.some((id) => !this.#details.get(id));
    return this.#details.get(current) && !isRunningOut ? [current] : [current, ...ahead];
  }

  #prefetchImages() {
    const { current } = this.#store;
    const next = current === null ? [] : idsAhead(this.#store.visibleIds(), current, IMAGES_AHEAD);
    const inputs = next.flatMap((id) => {
      const details = this.#details.get(id);
      return details ? [toViewerInput(details, this.#store.screenshot(id))] : [];
    });
    this.#viewer.prefetch(inputs);
  }

  /** @param {readonly string[] | null} ids */
  #updateRows(ids) {
    const { current } = this.#store;
    if (ids === null || current === null || ids.includes(current)) {
      this.show();
    }
  }

  /**
   * @param {string} text
   * @param {boolean} mayRetry
   */
  #showProblem(text, mayRetry) {
    const retry = element("button", { type: "button", class: "button" }, "Try again");
    retry.addEventListener("click", () => void this.#load());
    this.#message.replaceChildren(element("p", {}, text), ...(mayRetry ? [retry] : []));
    this.#message.hidden = false;
  }

  /** Put the focus on the heading, for people coming from the list. */
  focus() {
    for (const heading of findAll(".stage__title", HTMLElement, this.#root)) {
      heading.focus({ preventScroll: true });
    }
  }

  #current() {
    const { current } = this.#store;
    return current === null ? undefined : this.#store.screenshot(current);
  }
}

/** @param {Screenshot} screenshot */
function describeBriefly(screenshot) {
  if (screenshot.message) {
    return screenshot.message;
  }
  const share = formatShare(screenshot.ratio);
  return screenshot.state === "changed" && share ? `${capitalize(screenshot.kind)}, ${share} differs` : nameScreenshot(screenshot);
}

/**
 * @param {Details} one
 * @param {Details} other
 */
function hasOtherImages(one, other) {
  return JSON.stringify([one.images, one.regions]) !== JSON.stringify([other.images, other.regions]);
}

/** @param {unknown} error */
function describeFailure(error) {
  if (error instanceof SignedOutError) {
    return "Your session ended. Sign in to see the images.";
  }
  if (error instanceof RefusedError || error instanceof UnreachableError) {
    return `The images of this screenshot could not be loaded: ${error.message}`;
  }
  throw error;
}


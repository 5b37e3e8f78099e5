// The panel of comments: the current screenshot's, the others of the branch, and a new one.

import { button, element, setText } from "../dom.js";
import { createCommentForm, describeSendError } from "./comment_form.js";
import { pickPlace } from "./pick_place.js";
import { createThread } from "./thread_view.js";

/** @import { ScreenshotViewer } from "../../viewer/screenshot_viewer.js" */
/** @import { Point } from "../../viewer/types.js" */
/** @import { Announcer } from "../announcer.js" */
/** @import { ReviewStore } from "../store.js" */
/** @import { Thread } from "./types.js" */
/** @import { ThreadStore, WriteResult } from "./thread_store.js" */

/**
 * `showImage` leaves the list on a narrow page.
 *
 * @typedef {{store: ReviewStore, threads: ThreadStore, viewer: ScreenshotViewer, announcer: Announcer, showImage: () => void}} PanelParts
 */

export class ThreadPanel {
  #parts;
  #content = element("div", { class: "threads" });
  element = element("aside", { id: "comments", class: "panel", "aria-label": "Comments", hidden: true });
  /** Typed texts, by thread; the text of a new thread by screenshot. @type {Map<string, string>} */
  #drafts = new Map();
  /** @type {Point | null} Of the new thread. */
  #place = null;
  /** The screenshot that the panel shows. @type {string | null} */
  #shown = null;

  /** @param {PanelParts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.element.append(this.#content);
    parts.threads.addEventListener("threads", () => this.#refresh());
    parts.store.addEventListener("current", () => {
      this.#place = null;
      this.render();
    });
  }

  /** @param {HTMLElement} head */
  setHead(head) {
    this.element.prepend(head);
  }

  focusForm() {
    this.#content.querySelector("textarea")?.focus();
  }

  /** Show new comments; a field in which someone types stays unchanged. */
  #refresh() {
    const { activeElement } = document;
    const field = activeElement instanceof HTMLTextAreaElement && this.#content.contains(activeElement) ? activeElement : null;
    const [form] = this.#content.children;
    if (!field || this.#shown !== this.#parts.store.current) {
      this.render();
    } else if (form?.contains(field)) {
      while (form.nextElementSibling) {
        form.nextElementSibling.remove();
      }
      form.after(...this.#createLists());
    }
  }

  render() {
    this.#shown = this.#parts.store.current;
    this.#content.replaceChildren(this.#createForm(), ...this.#createLists());
  }

  #createLists() {
    const { store, threads } = this.#parts;
    if (threads.failure !== null) {
      return [this.#createFailure(threads.failure)];
    }
    const own = threads.of(store.current);
    const others = threads.all.filter((thread) => !own.includes(thread) && thread.resolvedAt === null);
    const resolved = own.filter(({ resolvedAt }) => resolvedAt !== null);
    const open = own.filter(({ resolvedAt }) => resolvedAt === null);
    return [
      this.#createList(open, false),
      this.#createFolded(`Resolved (${resolved.length})`, resolved, false),
      this.#createFolded(`Elsewhere in this branch (${others.length})`, others, true),
    ];
  }

  /** @param {unknown} failure */
  #createFailure(failure) {
    const { threads, announcer } = this.#parts;
    const retry = button("Try again", { class: "button button--small" }, () => {
      threads.load().catch((error) => announcer.notify(describeSendError(error), { look: "error" }));
    });
    return element("p", { class: "notice notice--error" }, `The comments could not be loaded: ${describeSendError(failure)} `, retry);
  }

  #createForm() {
    const { store, threads, announcer } = this.#parts;
    const id = store.current;
    if (id === null) {
      return element("p", { class: "muted" }, "Choose a screenshot to comment on.");
    }
    const place = button("", { class: "button button--small button--quiet" }, () => void this.#pick());
    const showPlace = () => setText(place, this.#place ? `At ${this.#place.x}, ${this.#place.y}: choose again` : "Choose a place…");
    showPlace();
    return createCommentForm({
      label: "Comment on this screenshot",
      submit: "Comment",
      people: threads.people,
      draft: this.#drafts.get(id) ?? "",
      keep: (text) => this.#drafts.set(id, text),
      more: [place],
      send: async (text) => {
        const written = await threads.write({ screenshotId: id, text, ...(this.#place ? { place: this.#place } : {}) });
        this.#drafts.delete(id);
        this.#place = null;
        this.#finish(written, announcer);
      },
    });
  }

  async #pick() {
    const { viewer, announcer, showImage } = this.#parts;
    this.element.hidden = true;
    showImage();
    const place = await pickPlace(viewer, announcer);
    this.element.hidden = false;
    this.#place = place ?? this.#place;
    this.render();
    this.focusForm();
  }

  /**
   * @param {readonly Thread[]} threads
   * @param {boolean} isElsewhere
   */
  #createList(threads, isElsewhere) {
    const { store, threads: all, viewer, announcer } = this.#parts;
    const finish = () => this.render();
    const items = threads.map((thread) =>
      createThread(
        thread,
        { number: numberOf(thread, all.of(thread.screenshotId)), people: all.people, drafts: this.#drafts, isElsewhere },
        {
          reply: async (to, text) => {
            const written = await all.write({ threadId: to.id, text });
            this.#drafts.delete(to.id);
            this.#finish(written, announcer);
          },
          edit: (comment, text) => all.edit(comment.id, text).then(finish),
          resolve: (of, resolved) => all.resolve(of.id, resolved).then(finish),
          show: (of) => {
            if (of.screenshotId !== store.current) {
              store.setCurrent(of.screenshotId);
            } else if (of.place) {
              viewer.state = { ...viewer.state, ...of.place, fit: "free" };
            }
          },
          fail: (error) => announcer.notify(`Nothing was changed: ${describeSendError(error)}`, { look: "error" }),
        },
      ),
    );
    return element("ul", { class: "plain threads__list" }, ...items);
  }

  /**
   * @param {string} title
   * @param {readonly Thread[]} threads
   * @param {boolean} isElsewhere
   */
  #createFolded(title, threads, isElsewhere) {
    return element("details", { class: "threads__more", hidden: threads.length === 0 }, element("summary", {}, title), this.#createList(threads, isElsewhere));
  }

  /**
   * @param {WriteResult} written
   * @param {Announcer} announcer
   */
  #finish({ unknown }, announcer) {
    this.render();
    announcer.say("Comment sent");
    if (unknown.length > 0) {
      announcer.notify(`No member is called ${unknown.map((name) => `@${name}`).join(", ")}: no one was notified by it.`, { look: "warning" });
    }
  }
}

/**
 * Return the number of a thread's pin among the pins of its screenshot.
 *
 * @param {Thread} thread
 * @param {readonly Thread[]} all
 */
export function numberOf(thread, all) {
  const pinned = all.filter(({ place, resolvedAt }) => place && resolvedAt === null);
  const index = pinned.indexOf(thread);
  return index < 0 ? "•" : String(index + 1);
}

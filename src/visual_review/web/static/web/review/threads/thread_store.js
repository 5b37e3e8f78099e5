// The threads of the build: loaded once the page shows a build, and again after each change of a
// thread.

import { getJson, postJson } from "../requests.js";

/** @import { PageContext } from "../page_context.js" */
/** @import { ReviewStore } from "../store.js" */
/** @import { Point } from "../../viewer/types.js" */
/** @import { Thread } from "./types.js" */

/** @typedef {{threads: readonly Thread[], people: readonly string[]}} ThreadList */
/** @typedef {{threadId: string, commentId: string, mentioned: string[], unknown: string[]}} WriteResult */

/** Event: `threads`, after loading or a failure. */
export class ThreadStore extends EventTarget {
  #context;
  #store;
  /** The revision of the page's threads. */
  #revision = -1;
  /** @type {readonly Thread[]} */
  all = [];
  /** @type {readonly string[]} Names of members. */
  people = [];
  /** Why the threads could not be loaded. @type {unknown} */
  failure = null;

  /**
   * @param {PageContext} context
   * @param {ReviewStore} store
   */
  constructor(context, store) {
    super();
    this.#context = context;
    this.#store = store;
    store.addEventListener("build", () => void this.#follow());
  }

  /** @param {string | null} id */
  of(id) {
    return this.all.filter(({ screenshotId }) => screenshotId !== null && screenshotId === id);
  }

  /** @param {string} id */
  countOpen(id) {
    return this.of(id).filter(({ resolvedAt }) => resolvedAt === null).length;
  }

  get openCount() {
    return this.all.filter(({ resolvedAt }) => resolvedAt === null).length;
  }

  /**
   * @param {{screenshotId?: string, threadId?: string, text: string, place?: Point}} comment
   * @returns {Promise<WriteResult>}
   */
  async write(comment) {
    const written = /** @type {WriteResult} */ (await this.#post(this.#context.urls.comments, comment));
    await this.load();
    return written;
  }

  /**
   * Replace the text of an own comment; an empty one deletes it.
   *
   * @param {string} id
   * @param {string} text
   */
  async edit(id, text) {
    await this.#post(`${this.#context.urls.comments}/${id}`, { text });
    await this.load();
  }

  /**
   * @param {string} id
   * @param {boolean} resolved
   */
  async resolve(id, resolved) {
    await this.#post(`${this.#context.urls.comments}/threads/${id}`, { resolved });
    await this.load();
  }

  async load() {
    const loaded = /** @type {ThreadList} */ (await getJson(this.#context.urls.threads));
    this.failure = null;
    this.all = loaded.threads;
    this.people = loaded.people;
    this.#store.setOpenThreads((id) => this.countOpen(id));
    this.dispatchEvent(new Event("threads"));
  }

  async #follow() {
    const revision = this.#store.snapshot?.build.threadRevision ?? 0;
    if (revision === this.#revision) {
      return;
    }
    this.#revision = revision;
    try {
      await this.load();
    } catch (error) {
      // The next change of the build loads the threads again, or a person does.
      this.#revision = -1;
      this.failure = error;
      this.dispatchEvent(new Event("threads"));
    }
  }

  /**
   * @param {string} url
   * @param {unknown} body
   */
  #post(url, body) {
    return postJson(url, body, this.#context.csrfToken);
  }
}

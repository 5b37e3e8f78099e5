// Panels over the stage that buttons of the build bar open: facts of the build, the review log,
// the comments.

import { findAll } from "../elements.js";
import { createTime } from "../times.js";
import { button, element, isolated, setAttribute } from "./dom.js";
import { RefusedError, SignedOutError, UnreachableError, getJson } from "./requests.js";

/** @import { ThreadPanel } from "./threads/thread_panel.js" */
/** @import { Evidence } from "./types.js" */

/**
 * @typedef {object} LogEntry
 * @property {string} decision
 * @property {string} storyId
 * @property {string} theme
 * @property {string} device
 * @property {string} by
 * @property {string} at
 * @property {string} source
 * @property {string} comment
 * @property {Pick<Evidence, "program" | "images" | "is_marked"> | null} evidence
 */

/** @type {Readonly<Record<string, string>>} */
const VERBS = { approved: "approved", rejected: "rejected", cleared: "cleared the decision of", undone: "undid the decision of" };
/** The log's notes on decisions made outside this build. @type {ReadonlyMap<string, string>} */
const ORIGINS = new Map([
  ["carried_over", ", carried over"],
  ["retargeted", ", kept for the new base branch"],
]);

export class Panels {
  #root;
  #facts;
  #log;
  #logUrl;
  #comments;

  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} facts
   * @param {string} logUrl
   * @param {ThreadPanel} comments
   */
  constructor(root, facts, logUrl, comments) {
    this.#root = root;
    this.#facts = facts;
    this.#logUrl = logUrl;
    this.#log = element("aside", { id: "review-log", class: "panel", "aria-label": "Review log", hidden: true });
    facts.classList.add("panel");
    facts.prepend(this.#createHead("About this build", facts));
    this.#comments = comments;
    comments.setHead(this.#createHead("Comments", comments.element));
    facts.after(this.#log, comments.element);
  }

  toggleFacts() {
    this.#toggle(this.#facts);
  }

  toggleLog() {
    this.#toggle(this.#log);
    if (!this.#log.hidden) {
      void this.#loadLog();
    }
  }

  toggleComments() {
    this.#toggle(this.#comments.element);
    this.#comments.render();
    if (!this.#comments.element.hidden) {
      this.#comments.focusForm();
    }
  }

  showComments() {
    if (this.#comments.element.hidden) {
      this.#toggle(this.#comments.element);
      this.#comments.render();
    }
  }

  get #all() {
    return [this.#facts, this.#log, this.#comments.element];
  }

  /** Close an open panel; return whether one was open. */
  close() {
    const open = this.#all.filter((panel) => !panel.hidden);
    for (const panel of open) {
      const hadFocus = panel.contains(document.activeElement);
      this.#toggle(panel);
      if (hadFocus) {
        this.#openers(panel)[0]?.focus();
      }
    }
    return open.length > 0;
  }

  /** @param {HTMLElement} panel */
  #toggle(panel) {
    panel.hidden = !panel.hidden;
    for (const opener of this.#openers(panel)) {
      setAttribute(opener, "aria-expanded", String(!panel.hidden));
    }
    const other = this.#all.find((each) => each !== panel && !each.hidden);
    if (!panel.hidden && other) {
      this.#toggle(other);
    }
  }

  /** @param {HTMLElement} panel */
  #openers(panel) {
    return findAll(`[aria-controls="${panel.id}"]`, HTMLElement, this.#root);
  }

  async #loadLog() {
    const head = this.#createHead("Review log", this.#log);
    this.#log.replaceChildren(head, element("p", { class: "muted" }, "Loading…"));
    try {
      const { entries } = /** @type {{entries: LogEntry[]}} */ (await getJson(this.#logUrl));
      const list = element("ol", { class: "plain review-log" }, ...entries.map(describeEntry));
      this.#log.replaceChildren(head, entries.length > 0 ? list : element("p", { class: "muted" }, "No one has decided anything yet."));
    } catch (error) {
      if (!(error instanceof RefusedError || error instanceof SignedOutError || error instanceof UnreachableError)) {
        throw error;
      }
      this.#log.replaceChildren(head, element("p", {}, `The review log could not be loaded: ${error.message}`));
    }
  }

  /**
   * @param {string} title
   * @param {HTMLElement} panel
   */
  #createHead(title, panel) {
    const close = button("", { class: "button button--quiet button--small button--icon", "aria-label": `Close: ${title}` }, () => {
      this.#toggle(panel);
      this.#openers(panel)[0]?.focus();
    });
    close.append(element("span", { class: "icon icon--close" }));
    return element("div", { class: "panel__head" }, element("h2", {}, title), close);
  }
}

/** @param {LogEntry} entry */
function describeEntry(entry) {
  const what = entry.storyId ? [isolated(entry.storyId), ` (${entry.theme}, ${entry.device})`] : ["the build"];
  const verb = VERBS[entry.decision] ?? entry.decision;
  const who = element("strong", {}, isolated(entry.by || "The service"));
  const carried = ORIGINS.get(entry.source) ?? "";
  const comment = entry.comment ? element("blockquote", { class: "stage__text", dir: "auto" }, entry.comment) : null;
  return element("li", { class: "review-log__entry" }, who, ` ${verb} `, ...what, `${carried} `, createTime(entry.at), describeEvidence(entry), comment);
}

/** @param {LogEntry} entry */
function describeEvidence({ evidence }) {
  if (!evidence) {
    return null;
  }
  const program = evidence.program ? ` ${evidence.program}` : "";
  const mark = element("span", { class: "badge badge--warn badge--long" }, evidence.images);
  const images = evidence.is_marked ? [" ", mark] : [evidence.images ? `; ${evidence.images}` : ""];
  return element("span", { class: "muted small" }, isolated(program), ...images);
}

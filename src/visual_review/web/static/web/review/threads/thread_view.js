// One thread: its place, its comments, and its actions.

import { countOf } from "../../navigator/model/names.js";
import { createTime } from "../../times.js";
import { button, element, isolated } from "../dom.js";
import { createCommentForm } from "./comment_form.js";
import { renderParts } from "./comment_text.js";

/** @import { Comment, Thread } from "./types.js" */

/**
 * @typedef {object} ThreadActions
 * @property {(thread: Thread, text: string) => Promise<void>} reply
 * @property {(comment: Comment, text: string) => Promise<void>} edit
 * @property {(thread: Thread, resolved: boolean) => Promise<void>} resolve
 * @property {(thread: Thread) => void} show Go to the thread's place.
 * @property {(error: unknown) => void} fail
 */

/** @type {Readonly<Record<Thread["rejection"], string>>} */
const REJECTIONS = { "": "", stands: "Rejected", withdrawn: "Rejection withdrawn" };

/**
 * @param {Thread} thread
 * @param {{number: string, people: readonly string[], drafts: Map<string, string>, isElsewhere: boolean}} shown
 * @param {ThreadActions} actions
 */
export function createThread(thread, { number, people, drafts, isElsewhere }, actions) {
  const isOpen = thread.resolvedAt === null;
  const comments = thread.comments.map((comment) => createComment(comment, people, actions));
  const foot = element("div", { class: "thread__foot" });
  const reply = button("Reply", { class: "button button--small" }, () => foot.replaceChildren(createReply()));
  const resolve = button(isOpen ? "Resolve" : "Reopen", { class: "button button--small button--quiet" }, () => {
    actions.resolve(thread, isOpen).catch(actions.fail);
  });
  const buttons = [reply, resolve];
  function createReply() {
    const form = createCommentForm({
      label: "Reply",
      submit: "Reply",
      people,
      draft: drafts.get(thread.id) ?? "",
      keep: (text) => drafts.set(thread.id, text),
      send: (text) => actions.reply(thread, text),
      cancel: () => {
        drafts.delete(thread.id);
        foot.replaceChildren(...buttons);
      },
    });
    queueMicrotask(() => form.querySelector("textarea")?.focus());
    return form;
  }
  foot.append(...(drafts.get(thread.id) ? [createReply()] : buttons));
  const resolved = isOpen ? null : element("p", { class: "muted small" }, `Resolved by ${thread.resolvedBy}, `, createTime(thread.resolvedAt ?? ""));
  return element("li", { class: "thread", "data-id": thread.id }, createHead(thread, number, isElsewhere, actions), element("ol", { class: "plain thread__comments" }, ...comments), resolved, foot);
}

/**
 * @param {Thread} thread
 * @param {string} number
 * @param {boolean} isElsewhere
 * @param {ThreadActions} actions
 */
function createHead(thread, number, isElsewhere, actions) {
  const parts = [];
  if (isElsewhere) {
    const name = thread.title.split("/").at(-1) ?? thread.title;
    const label = [isolated(name), ` ${thread.variant}`];
    parts.push(thread.screenshotId ? linkTo(thread, label, actions) : element("strong", {}, ...label));
  } else if (thread.place) {
    const pin = button(number, { class: "button button--small pin-number", "aria-label": `Show place ${number} on the image` }, () => actions.show(thread));
    parts.push(pin);
  }
  const notes = [
    REJECTIONS[thread.rejection],
    thread.more > 0 && `about ${countOf(thread.more + 1, "screenshot")}`,
    thread.isEarlier && "written about an earlier image",
    thread.screenshotId === null && "not in this build",
  ].filter((note) => note !== false && note !== "");
  return element("p", { class: "thread__head" }, ...parts, element("span", { class: "muted small" }, notes.join(" · ")));
}

/**
 * @param {Thread} thread
 * @param {(Node | string)[]} label
 * @param {ThreadActions} actions
 */
function linkTo(thread, label, actions) {
  const made = button("", { class: "button button--quiet button--small thread__link" }, () => actions.show(thread));
  made.append(...label);
  return made;
}

/**
 * @param {Comment} comment
 * @param {readonly string[]} people
 * @param {ThreadActions} actions
 */
function createComment(comment, people, actions) {
  const through = comment.client ? [" through a client that calls itself ", isolated(comment.client)] : [];
  const edited = comment.isEdited ? " · edited" : "";
  const head = element("p", { class: "comment__head" }, element("strong", {}, isolated(comment.by)), ...through, " ", createTime(comment.at), edited);
  const body = element("div", { class: "comment__text", dir: "auto" });
  body.append(...(comment.isDeleted ? [element("p", { class: "muted" }, "This comment was deleted.")] : renderParts(comment.content)));
  const item = element("li", { class: "comment", "data-id": comment.id }, head, body);
  if (comment.mayEdit) {
    const edit = button("Edit", { class: "button button--small button--quiet" }, () => {
      const cancel = () => form.replaceWith(body);
      const form = createCommentForm({ label: "Edit your comment", submit: "Save", people, draft: comment.text, send: (text) => actions.edit(comment, text), cancel });
      body.replaceWith(form);
      form.querySelector("textarea")?.focus();
    });
    const remove = button("Delete", { class: "button button--small button--quiet" }, () => {
      actions.edit(comment, "").catch(actions.fail);
    });
    head.append(element("span", { class: "comment__buttons" }, edit, remove));
  }
  return item;
}

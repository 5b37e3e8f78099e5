// The form of a comment: a text, the mentioned people, and the place of the comment.

import { button, element, setText } from "../dom.js";
import { RefusedError, SignedOutError, StaleTokenError, UnreachableError } from "../requests.js";

/** @import { Child } from "../dom.js" */

/**
 * @typedef {object} FormOptions
 * @property {string} label Of the text field.
 * @property {string} submit
 * @property {string} [draft]
 * @property {readonly string[]} people
 * @property {readonly Child[]} [more] Controls next to the button.
 * @property {(text: string) => Promise<void>} send
 * @property {(text: string) => void} [keep] Called with every change, for drafts.
 * @property {() => void} [cancel]
 */

/** @param {FormOptions} options */
export function createCommentForm({ label, submit, draft = "", people, more = [], send, keep, cancel }) {
  const field = element("textarea", { class: "input comment-form__text", rows: 3, "aria-label": label, placeholder: label, dir: "auto" });
  field.value = draft;
  const problem = element("p", { class: "comment-form__problem", role: "alert" });
  const submitButton = element("button", { class: "button button--primary button--small" }, submit);
  const buttons = element("div", { class: "comment-form__buttons" }, submitButton, createMentions(field, people), ...more);
  if (cancel) {
    buttons.append(button("Cancel", { class: "button button--small button--quiet" }, cancel));
  }
  const form = element("form", { class: "comment-form" }, field, problem, buttons);
  field.addEventListener("input", () => keep?.(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.requestSubmit();
    } else if (event.key === "Escape") {
      // The first press leaves the field, and nothing of the text is lost.
      event.stopPropagation();
      submitButton.focus();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void trySend();
  });

  async function trySend() {
    setText(problem, "");
    submitButton.disabled = true;
    try {
      await send(field.value);
    } catch (error) {
      setText(problem, `Not sent: ${describeSendError(error)}`);
    } finally {
      submitButton.disabled = false;
    }
  }
  return form;
}

/** @param {unknown} error */
export function describeSendError(error) {
  if (error instanceof SignedOutError) {
    return "You are signed out. Sign in again in another tab, then send it once more.";
  }
  if (error instanceof StaleTokenError) {
    return "You signed in again meanwhile. Copy the text, and reload the page.";
  }
  if (error instanceof RefusedError || error instanceof UnreachableError) {
    return error.message;
  }
  throw error;
}

/**
 * A list of members whose names are inserted after an `@`.
 *
 * @param {HTMLTextAreaElement} field
 * @param {readonly string[]} people
 */
function createMentions(field, people) {
  const options = people.map((name) => element("option", { value: name }, name));
  const select = element("select", { class: "input comment-form__mention", "aria-label": "Mention a member" }, element("option", { value: "" }, "@ Mention…"), ...options);
  select.addEventListener("change", () => {
    const before = field.value.slice(0, field.selectionStart);
    const gap = before === "" || /\s$/.test(before) ? "" : " ";
    field.setRangeText(`${gap}@${select.value} `, field.selectionStart, field.selectionEnd, "end");
    select.value = "";
    field.dispatchEvent(new Event("input"));
    field.focus();
  });
  return select;
}

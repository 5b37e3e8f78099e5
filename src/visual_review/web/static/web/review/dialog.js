// Dialogs: one at a time, closed by Escape, with the focus back in its place.

import { findAll } from "../elements.js";
import { button, element } from "./dom.js";

/** @import { Child } from "./dom.js" */

/**
 * @template Value
 * @typedef {object} Choice
 * @property {string} label
 * @property {() => Value} value Read when the choice is made.
 * @property {"primary" | "danger" | ""} [look]
 * @property {boolean} [checks] Whether the fields have to be valid.
 */

/**
 * @template Value
 * @typedef {object} DialogContent
 * @property {string} title
 * @property {readonly Child[]} body
 * @property {readonly Choice<Value>[]} choices Enter in a field means the first choice.
 * @property {HTMLElement} [focus]
 * @property {string} [name] For styles and tests.
 */

let count = 0;

/**
 * Ask, and return the choice; null where the dialog was closed.
 * @template Value
 * @param {DialogContent<Value>} content
 * @returns {Promise<Value | null>}
 */
export function ask({ title, body, choices, focus, name = "question" }) {
  const { promise, resolve } = /** @type {PromiseWithResolvers<Value | null>} */ (Promise.withResolvers());
  const foot = element("div", { class: "dialog__foot" });
  const form = element("form", { method: "dialog" }, element("div", { class: "dialog__body" }, ...body), foot);
  const dialog = createDialog(title, form, name);
  /** @param {Value | null} value */
  const finish = (value) => {
    resolve(value);
    dialog.close();
  };
  const [meant, ...others] = choices;
  if (meant) {
    foot.append(element("button", { class: lookOf(meant) }, meant.label));
    form.noValidate = !meant.checks;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      finish(meant.value());
    });
  }
  for (const choice of others) {
    foot.append(button(choice.label, { class: lookOf(choice) }, () => finish(choice.value())));
  }
  dialog.addEventListener("close", () => resolve(null));
  showDialog(dialog, focus);
  return promise;
}

/** @param {{look?: string}} choice */
function lookOf({ look }) {
  return look ? `button button--${look}` : "button";
}

/**
 * Show something to read, with a button for closing.
 * @param {{title: string, body: readonly Child[], name: string, closeLabel?: string}} content
 */
export function show({ title, body, name, closeLabel = "Close" }) {
  return ask({ title, body, name, choices: [{ label: closeLabel, value: () => true }] });
}

/**
 * @param {string} title
 * @param {Child} body
 * @param {string} name
 */
export function createDialog(title, body, name) {
  count += 1;
  const id = `dialog-title-${count}`;
  const head = element("div", { class: "dialog__head" }, element("h2", { id }, title));
  return element("dialog", { class: `dialog dialog--${name}`, "aria-labelledby": id }, head, body);
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} [focus]
 */
export function showDialog(dialog, focus) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  focus?.focus();
}

/** Whether a dialog has the keys. */
export function isDialogOpen() {
  return document.querySelector("dialog[open]") !== null;
}

/** @param {string} name */
export function closeDialog(name) {
  for (const dialog of findAll(`dialog.dialog--${name}`, HTMLDialogElement)) {
    dialog.close();
  }
}

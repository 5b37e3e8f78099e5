// From key presses to commands: the focus decides which keys are the page's.

import { isDialogOpen } from "./dialog.js";
import { findCommand } from "./key_map.js";

/** @import { Command, Focus } from "./key_map.js" */

const TYPING = "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=range], [type=button])";
const WIDGETS = "input, [role=slider], [role=menu], [role=radiogroup]";

/**
 * @param {{areSingleKeysOn: () => boolean, run: (command: Command) => void, escape: () => boolean}} parts
 */
export function listenForKeys({ areSingleKeysOn, run, escape }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) {
      return;
    }
    const focus = findFocus(event);
    if (event.key === "Escape" && focus !== "typing" && escape()) {
      event.preventDefault();
      return;
    }
    const command = findCommand(event, focus, areSingleKeysOn());
    if (command) {
      event.preventDefault();
      run(command);
    }
  });
}

/**
 * @param {KeyboardEvent} event
 * @returns {Focus}
 */
function findFocus(event) {
  // Inside of a custom element the event's target is the element itself.
  const [target] = event.composedPath();
  if (!(target instanceof Element)) {
    return "page";
  }
  if (target.matches(TYPING)) {
    return "typing";
  }
  return target.closest(WIDGETS) ? "widget" : "page";
}

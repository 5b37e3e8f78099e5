// Rarer decisions than the bar's, in a menu above the bar.

import { findBinding, shortcutOf } from "./key_map.js";
import { createMenu } from "./menu.js";

/** @import { Command } from "./key_map.js" */

/** @type {readonly Command[]} */
const COMMANDS = ["clear", "openGroup", "approveGroup", "rejectGroup", "approveStory", "rejectStory", "select", "selectVisible", "drawRegions", "focusMode"];

/** @param {(command: Command) => void} run */
export function createMoreMenu(run) {
  const items = COMMANDS.map((command) => ({
    label: findBinding(command).label,
    look: `decision-menu__${command}`,
    shortcut: shortcutOf(command),
    press: () => run(command),
  }));
  return createMenu({ id: "more-decisions", label: "More", look: "decision-bar__more", opener: "button" }, items);
}

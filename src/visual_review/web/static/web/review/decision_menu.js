// Decisions that are rarer than those of the bar, in a menu above it.

import { button, element } from "./dom.js";
import { findBinding, shortcutOf } from "./key_map.js";

/** @import { Command } from "./key_map.js" */

/** @type {readonly Command[]} */
const COMMANDS = ["clear", "openGroup", "approveGroup", "rejectGroup", "approveStory", "rejectStory", "select", "selectVisible"];

/** @param {(command: Command) => void} run */
export function createMoreMenu(run) {
  const menu = element("details", { class: "menu decision-bar__more" });
  const items = COMMANDS.map((command) => {
    const item = button(findBinding(command).label, { class: `menu__item decision-menu__${command}`, "aria-keyshortcuts": shortcutOf(command) }, () => {
      menu.open = false;
      run(command);
    });
    item.append(element("kbd", { class: "kbd", "aria-hidden": "true", "data-shortcut": shortcutOf(command) }));
    return item;
  });
  menu.append(element("summary", {}, "More"), element("div", { class: "menu__panel" }, ...items));
  return menu;
}

// A button with a menu: arrows move within the menu, Escape and a click elsewhere close it.

import { button, element, setAttribute } from "./dom.js";

/**
 * @typedef {object} MenuItem
 * @property {string} label
 * @property {() => void} press
 * @property {string} [look] Classes of the item.
 * @property {string} [shortcut]
 */

/**
 * @param {{id: string, label: string, look: string, opener: string}} menu `look` are classes of the
 *   menu, `opener` those of its button.
 * @param {readonly MenuItem[]} items
 */
export function createMenu({ id, label, look, opener: openerLook }, items) {
  const panel = element("div", { id, class: "menu__panel", role: "menu", "aria-label": label, hidden: true });
  const attributes = { class: openerLook, "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id };
  const opener = button(label, attributes, () => show(panel.hidden === true));
  const menu = element("div", { class: `menu ${look}` }, opener, panel);

  /** @param {boolean} isShown */
  function show(isShown) {
    const hadFocus = panel.contains(document.activeElement);
    panel.hidden = !isShown;
    setAttribute(opener, "aria-expanded", String(isShown));
    if (isShown) {
      itemsOf(panel)[0]?.focus();
    } else if (hadFocus) {
      opener.focus();
    }
  }

  panel.append(
    ...items.map((item) =>
      createItem(item, () => {
        show(false);
        item.press();
      }),
    ),
  );
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      show(false);
    } else if (moveFocus(itemsOf(panel), event.key)) {
      event.preventDefault();
    }
  });
  document.addEventListener("pointerdown", (event) => {
    if (!panel.hidden && event.target instanceof Node && !menu.contains(event.target)) {
      show(false);
    }
  });
  return menu;
}

/**
 * @param {MenuItem} item
 * @param {() => void} press
 */
function createItem({ label, look = "", shortcut = "" }, press) {
  const attributes = { class: `menu__item ${look}`, role: "menuitem", tabindex: "-1", "aria-keyshortcuts": shortcut || null };
  const made = button(label, attributes, press);
  if (shortcut) {
    made.append(element("kbd", { class: "kbd", "aria-hidden": "true", "data-shortcut": shortcut }));
  }
  return made;
}

/** @param {HTMLElement} panel */
function itemsOf(panel) {
  const items = /** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll("[role=menuitem]"));
  return [...items].filter((item) => item.checkVisibility());
}

/**
 * @param {readonly HTMLElement[]} items
 * @param {string} key
 */
function moveFocus(items, key) {
  const at = items.findIndex((item) => item === document.activeElement);
  const last = items.length - 1;
  /** @type {Readonly<Record<string, number>>} */
  const places = { ArrowDown: at === last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last };
  const next = items[places[key] ?? -1];
  next?.focus();
  return next !== undefined;
}

// Menus work without scripts; this script closes menus on Escape and on a click outside.

import { findAll } from "./elements.js";

const OPEN = "details.menu[open]";

/** @param {Element | null} except */
function closeAll(except) {
  for (const menu of findAll(OPEN, HTMLDetailsElement)) {
    if (menu !== except) {
      menu.open = false;
    }
  }
}

document.addEventListener("click", (event) => {
  closeAll(event.target instanceof Element ? event.target.closest("details.menu") : null);
});

document.addEventListener("keydown", (event) => {
  const [menu] = findAll(OPEN, HTMLDetailsElement);
  if (event.key !== "Escape" || !menu) {
    return;
  }
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

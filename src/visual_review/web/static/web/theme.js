// The switch between the light, the dark and the system's theme. The choice is the browser's, not
// the account's, and so also applies before sign-in; theme_start.js applies the choice on each
// page.

import { findAll } from "./elements.js";

const KEY = "theme";

/** @typedef {"system" | "light" | "dark"} Theme */

/**
 * Return the theme that a stored value means; anything unknown is the system's.
 *
 * @param {string | null} stored
 * @returns {Theme}
 */
export function parseTheme(stored) {
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** @returns {Theme} */
function readTheme() {
  try {
    return parseTheme(localStorage.getItem(KEY));
  } catch {
    return "system";
  }
}

/** @param {Theme} theme */
function storeTheme(theme) {
  try {
    if (theme === "system") {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, theme);
    }
  } catch {
    // Storage may be blocked; the choice then applies to this page only.
  }
}

/** @param {Theme} theme */
function applyTheme(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  for (const radio of findAll("[data-theme-switch] input", HTMLInputElement)) {
    radio.checked = radio.value === theme;
  }
}

/** Show the switches of this page, which do nothing without a script, and follow other tabs. */
export function enableThemeSwitches() {
  for (const switcher of findAll("[data-theme-switch]", HTMLElement)) {
    switcher.hidden = false;
    switcher.addEventListener("change", (event) => {
      if (event.target instanceof HTMLInputElement) {
        const theme = parseTheme(event.target.value);
        storeTheme(theme);
        applyTheme(theme);
      }
    });
  }
  applyTheme(readTheme());
  window.addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) {
      applyTheme(readTheme());
    }
  });
}

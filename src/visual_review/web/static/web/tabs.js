// On a phone, tabs that have no room are scrolled; the current one is always in sight.

import { findAll } from "./elements.js";

/** Scroll each strip of tabs, and nothing else, to its current tab. */
export function showCurrentTabs() {
  for (const tab of findAll(".tabs [aria-current]", HTMLElement)) {
    const strip = tab.parentElement;
    if (strip) {
      strip.scrollLeft = tab.offsetLeft - strip.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
    }
  }
}

// A double click that started on another page, or in a window closed above this one, must not hit
// "Allow". Framing is forbidden, but the site that opened this page can time such a click.

import { find } from "./elements.js";

const DELAY_MS = 600;
const allow = find('button[name="decision"][value="allow"]', HTMLButtonElement);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function disableBriefly() {
  // Not "disabled": a disabled button would lose the keyboard focus.
  allow.setAttribute("aria-disabled", "true");
  clearTimeout(timer);
  timer = setTimeout(() => allow.removeAttribute("aria-disabled"), DELAY_MS);
}

allow.addEventListener("click", (event) => {
  if (allow.hasAttribute("aria-disabled")) {
    event.preventDefault();
  }
});
window.addEventListener("focus", disableBriefly);
window.addEventListener("pageshow", disableBriefly);
document.addEventListener("visibilitychange", disableBriefly);
disableBriefly();

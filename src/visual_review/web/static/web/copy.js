// Buttons that copy a secret or an example are shown only if the clipboard is available.

import { find, findAll } from "./elements.js";

/** @param {HTMLButtonElement} button */
function enableCopying(button) {
  button.hidden = false;
  // The visually hidden text for screen readers stays unchanged.
  const text = button.querySelector("span") ?? button;
  const label = text.textContent;
  button.addEventListener("click", async () => {
    const source = find(`#${button.dataset.copy}`, HTMLElement);
    try {
      await navigator.clipboard.writeText((source.textContent ?? "").trim());
      text.textContent = "Copied";
    } catch {
      text.textContent = "Copying failed: select the text instead";
    }
    setTimeout(() => {
      text.textContent = label;
    }, 2000);
  });
}

if (navigator.clipboard) {
  findAll("button[data-copy]", HTMLButtonElement).forEach(enableCopying);
}

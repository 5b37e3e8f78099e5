// The five most important keys, for a first-time reviewer.

import { button, element } from "./dom.js";
import { listFirstKeys } from "./help_dialog.js";

/**
 * @param {HTMLElement} root
 * @param {{isHintDismissed: () => boolean, dismissHint: () => void}} preferences
 */
export function showKeyHint(root, { isHintDismissed, dismissHint }) {
  if (isHintDismissed()) {
    return;
  }
  const hint = element("aside", { class: "key-hint", "aria-label": "Keys to begin with" });
  const close = button("Got it", { class: "button button--small" }, () => {
    dismissHint();
    hint.remove();
  });
  hint.append(listFirstKeys(), element("span", { class: "muted small" }, element("kbd", { class: "kbd" }, "?"), " shows all"), close);
  root.append(hint);
}

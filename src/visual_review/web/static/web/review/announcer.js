// Announces events to everyone: a live region for screen readers, and visible notices.

import { button, element } from "./dom.js";

const SHOWN_FOR = 8_000;
const MOST_SHOWN = 4;

/** @typedef {{label: string, href?: string, press?: () => void}} NoticeAction */

export class Announcer {
  #status = element("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  #list = element("div", { class: "toasts" });

  /** @param {HTMLElement} root */
  constructor(root) {
    root.append(this.#status, this.#list);
  }

  /**
   * Announce a text without showing it: the event is visible anyway.
   * @param {string} text
   */
  say(text) {
    // The same text twice would be no change, and not be read.
    this.#status.textContent = this.#status.textContent === text ? `${text}\u00a0` : text;
  }

  /**
   * Show a notice. Errors stay until closed.
   * @param {string} text
   * @param {{look?: "info" | "error" | "warning" | "success", actions?: readonly NoticeAction[]}} [options]
   */
  notify(text, { look = "info", actions = [] } = {}) {
    this.say(text);
    const notice = element("div", { class: `toast toast--${look}` }, element("p", {}, text));
    const close = () => notice.remove();
    for (const { label, href, press } of actions) {
      notice.append(href ? element("a", { href }, label) : button(label, { class: "button button--small" }, closing(close, press)));
    }
    const attributes = { class: "button button--quiet button--small button--icon", "aria-label": "Close this notice" };
    const cross = button("", attributes, close);
    cross.append(element("span", { class: "icon icon--close" }));
    notice.append(cross);
    this.#list.append(notice);
    if (this.#list.childElementCount > MOST_SHOWN) {
      this.#list.firstElementChild?.remove();
    }
    if (look !== "error" && actions.length === 0) {
      setTimeout(close, SHOWN_FOR);
    }
    return close;
  }
}

/**
 * @param {() => void} close
 * @param {(() => void) | undefined} press
 */
function closing(close, press) {
  return () => {
    close();
    press?.();
  };
}

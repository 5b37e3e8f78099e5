// The focus mode: nothing but the image, and all keys as before.

/** @import { Announcer } from "./announcer.js" */

export class FocusMode {
  #root;
  #announcer;
  #closeHint = () => {};

  /**
   * @param {HTMLElement} root
   * @param {Announcer} announcer
   */
  constructor(root, announcer) {
    this.#root = root;
    this.#announcer = announcer;
  }

  toggle() {
    if (this.leave()) {
      return;
    }
    this.#root.toggleAttribute("data-focus", true);
    const actions = [{ label: "Show everything", press: () => this.leave() }];
    this.#closeHint = this.#announcer.notify("Only the image is shown. \\ or Escape shows everything again.", { actions });
  }

  /** Return whether the mode was on. */
  leave() {
    const wasOn = this.#root.hasAttribute("data-focus");
    this.#root.toggleAttribute("data-focus", false);
    this.#closeHint();
    this.#closeHint = () => {};
    return wasOn;
  }
}

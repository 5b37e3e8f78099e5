// What happens when the session ends while the page is open.

import { closeDialog } from "./dialog.js";
import { askToSignIn, withReturn } from "./sign_in_dialog.js";

/** @import { Announcer } from "./announcer.js" */

/**
 * @typedef {object} SessionParts
 * @property {string} signInUrl
 * @property {() => number} countUnsaved
 * @property {() => string} currentUrl
 * @property {() => Promise<boolean>} isSignedIn
 * @property {() => void} resume
 * @property {Announcer} announcer
 */

const CHECK_EVERY = 3_000;

export class Session {
  #parts;
  #isEnded = false;
  /** Whether the person leaves the page to sign in: unsaved decisions are kept then. */
  isLeaving = false;

  /** @param {SessionParts} parts */
  constructor(parts) {
    this.#parts = parts;
    // Back from the tab of the sign-in; not every window reports both events.
    for (const name of ["focus", "visibilitychange"]) {
      addEventListener(name, () => this.#check());
    }
    setInterval(() => this.#check(), CHECK_EVERY);
  }

  #check() {
    if (!document.hidden && this.#isEnded && !this.isLeaving) {
      void this.#tryToResume();
    }
  }

  /** @param {string} signInUrl */
  async end(signInUrl) {
    if (this.#isEnded) {
      return;
    }
    this.#isEnded = true;
    const url = withReturn(signInUrl || this.#parts.signInUrl, this.#parts.currentUrl());
    const chosen = await askToSignIn(url, this.#parts.countUnsaved());
    if (chosen === "here") {
      this.isLeaving = true;
      location.assign(url);
    } else if (this.#isEnded && !(chosen === "again" && (await this.#tryToResume()))) {
      const again = { label: "Sign in", press: () => this.#askAgain(signInUrl) };
      this.#parts.announcer.notify("You are signed out: nothing is saved until you sign in.", { look: "error", actions: [again] });
    }
  }

  /** @param {string} signInUrl */
  #askAgain(signInUrl) {
    this.#isEnded = false;
    void this.end(signInUrl);
  }

  async #tryToResume() {
    if (!(await this.#parts.isSignedIn()) || !this.#isEnded) {
      return false;
    }
    this.#isEnded = false;
    closeDialog("sign-in");
    this.#parts.resume();
    return true;
  }
}

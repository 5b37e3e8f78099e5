// The session ended: sign in without losing a decision.

import { ask } from "./dialog.js";
import { element } from "./dom.js";
import { describeUnsaved } from "./sentences.js";

/**
 * Return the person's choice: `here` leaves this page and comes back, `again` sends waiting
 * decisions.
 * @param {string} signInUrl
 * @param {number} unsaved
 * @returns {Promise<"here" | "again" | null>}
 */
export function askToSignIn(signInUrl, unsaved) {
  const link = element("a", { href: signInUrl, target: "_blank", rel: "opener" }, "Sign in in another tab");
  const kept = unsaved > 0 ? `${describeUnsaved(unsaved)}; nothing is lost: everything is sent once you are signed in. ` : "";
  return ask({
    title: "Your session ended",
    name: "sign-in",
    body: [element("p", {}, kept, link, " and continue here, or sign in on this page.")],
    choices: [
      { label: "Sign in here", look: "primary", value: () => /** @type {"here" | "again"} */ ("here") },
      { label: "I am signed in again", value: () => /** @type {"here" | "again"} */ ("again") },
    ],
  });
}

/**
 * Return the URL of the sign-in page that leads back to this view.
 * @param {string} signInUrl
 * @param {string} back Path and query
 */
export function withReturn(signInUrl, back) {
  const url = new URL(signInUrl, "https://page.invalid");
  url.searchParams.set("next", back);
  return `${url.pathname}${url.search}`;
}

// A person's preferences for this page, in the browser.

import { keep, openStorage } from "./browser_storage.js";

const SINGLE_KEYS_OFF = "visual-review.single-keys-off";
const LIST_WIDTH = "visual-review.list-width";
const HINT_DISMISSED = "visual-review.key-hint-dismissed";

/** @param {string} reviewerId */
export function createPreferences(reviewerId) {
  const store = openStorage("localStorage");
  const off = `${SINGLE_KEYS_OFF}.${reviewerId}`;
  const width = `${LIST_WIDTH}.${reviewerId}`;
  const dismissed = `${HINT_DISMISSED}.${reviewerId}`;
  return {
    areSingleKeysOn: () => store.getItem(off) === null,
    /** @param {boolean} isOn */
    setSingleKeys: (isOn) => keep(store, off, isOn ? "" : "1"),
    listWidth: () => Number(store.getItem(width) ?? 0) || 0,
    /** @param {number} pixels 0 for the usual width. */
    setListWidth: (pixels) => keep(store, width, pixels ? String(pixels) : ""),
    isHintDismissed: () => store.getItem(dismissed) !== null,
    dismissHint: () => keep(store, dismissed, "1"),
  };
}

// Load the unchanged screenshots, which most people never look at.

/** @import { RowAnswer } from "./model/snapshot.js" */

/**
 * @param {string} indexUrl
 * @returns {Promise<RowAnswer>}
 */
export async function loadUnchanged(indexUrl) {
  const url = new URL(indexUrl, document.baseURI);
  url.searchParams.set("part", "unchanged");
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) {
    throw new Error(`Unchanged screenshots could not be loaded: ${response.status}.`);
  }
  return response.json();
}

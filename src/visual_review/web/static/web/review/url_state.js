// The page's state as its URL: the list's view, the screenshot, and the viewer's state.

import { needsDecision } from "../navigator/model/steps.js";

/** @import { Screenshot } from "./types.js" */

/** @typedef {readonly (readonly [string, string])[]} Parameters */

/**
 * Return the URL's path and query. Each part has its own parameters.
 * @param {string} path
 * @param {{view: Parameters, shot: string | null, viewer: Parameters}} state
 */
export function composeUrl(path, { view, shot, viewer }) {
  const parameters = new URLSearchParams();
  const own = /** @type {Parameters} */ (shot === null ? [] : [["shot", shot]]);
  for (const [name, value] of [...view, ...own, ...viewer]) {
    parameters.set(name, value);
  }
  // Commas separate the values of a filter; a query may contain unencoded commas.
  const query = parameters.toString().replaceAll("%2C", ",");
  return query ? `${path}?${query}` : path;
}

/**
 * Return the screenshot named by a URL; posted comments name one by fragment.
 * @param {{search: string, hash: string}} location
 */
export function shotFromUrl({ search, hash }) {
  const named = new URLSearchParams(search).get("shot") ?? hash.slice(1);
  return /^shot_\w{1,100}$/u.test(named) ? named : null;
}

/**
 * Return the first screenshot to show: the one named by the link, else the first undecided one.
 * @param {string | null} named
 * @param {readonly string[]} visible
 * @param {ReadonlyMap<string, Screenshot>} screenshots
 */
export function chooseFirst(named, visible, screenshots) {
  // A link may name an unchanged screenshot, which the index does not have.
  return named ?? visible.find((id) => needsDecision(screenshots.get(id))) ?? visible[0] ?? null;
}

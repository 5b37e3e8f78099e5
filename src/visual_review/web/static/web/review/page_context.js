// The data that the server wrote into the page: URLs, the build and the reviewer.

/**
 * @typedef {object} PageContext
 * @property {string} buildId
 * @property {string} reviewerId
 * @property {boolean} mayReview
 * @property {string} csrfToken
 * @property {{index: string, details: string, changes: string, log: string, events: string,
 *   thumbnails: string, approval: string, decisions: string, undo: string, threads: string, comments: string, regions: string, next: string,
 *   signIn: string}} urls
 */

/**
 * @param {HTMLElement} root
 * @returns {PageContext}
 */
export function readContext(root) {
  const { dataset } = root;
  /** @param {string} name */
  const url = (name) => dataset[`${name}Url`] ?? "";
  return {
    buildId: dataset["buildId"] ?? "",
    reviewerId: dataset["reviewerId"] ?? "",
    mayReview: "mayReview" in dataset && dataset["mayReview"] !== "false",
    csrfToken: dataset["csrf"] ?? "",
    urls: {
      index: url("index"),
      details: url("details"),
      changes: url("changes"),
      log: url("log"),
      events: url("events"),
      thumbnails: url("thumbnails"),
      approval: url("approval"),
      decisions: url("decisions"),
      undo: url("undo"),
      threads: url("threads"),
      comments: url("comments"),
      regions: url("regions"),
      next: url("next"),
      signIn: url("signIn"),
    },
  };
}

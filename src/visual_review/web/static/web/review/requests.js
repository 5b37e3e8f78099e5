// Requests of the review page, and the four kinds of failures.

/** @import { ErrorBody } from "./wire.js" */

/** The session ended. */
export class SignedOutError extends Error {
  /** @param {string} signInUrl */
  constructor(signInUrl) {
    super("Your session ended.");
    this.signInUrl = signInUrl;
  }
}

/** The server understood the request and refuses to carry it out. */
export class RefusedError extends Error {
  /**
   * @param {number} status
   * @param {ErrorBody} body
   */
  constructor(status, body) {
    super(body.error);
    this.status = status;
    this.body = body;
    this.needs = status === 409 ? (body.needs ?? null) : null;
  }
}

/** No response, or an unclear one: the same request may be sent again. */
export class UnreachableError extends Error {}

/** The page's CSRF token belongs to an earlier session. */
export class StaleTokenError extends Error {}

const READ_SECONDS = 30;
// Approving 12,000 screenshots takes seconds; a proxy gives up earlier than after this time.
const WRITE_SECONDS = 120;
const TRY_AGAIN = new Set([408, 425, 429]);

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export function getJson(url, signal) {
  return request(url, { signal: withTimeout(READ_SECONDS, signal) });
}

/**
 * @param {string} url
 * @param {unknown} body
 * @param {string} csrfToken
 * @returns {Promise<unknown>}
 */
export function postJson(url, body, csrfToken) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": csrfToken };
  return request(url, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: withTimeout(WRITE_SECONDS),
  });
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function request(url, options) {
  const response = await fetchOrFail(url, options);
  const body = await readJson(response);
  if (response.ok && body !== undefined) {
    return body;
  }
  throw failureOf(response.status, /** @type {(ErrorBody & {signInUrl?: string}) | undefined} */ (body));
}

/**
 * Return the error for a response.
 * @param {number} status
 * @param {(ErrorBody & {signInUrl?: string}) | undefined} body
 */
export function failureOf(status, body) {
  if (status === 401) {
    return new SignedOutError(body?.signInUrl ?? "");
  }
  if (status >= 500 || TRY_AGAIN.has(status) || status < 400) {
    return new UnreachableError(`The server responded with ${status}.`);
  }
  if (typeof body?.error === "string") {
    return new RefusedError(status, body);
  }
  // Our JSON endpoints explain every error; a page without an explanation is Django's CSRF check.
  if (status === 403) {
    return new StaleTokenError("The page's token belongs to an earlier session.");
  }
  return new RefusedError(status, { error: `The server refused this with status ${status}. Reload the page.` });
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function fetchOrFail(url, options) {
  try {
    return await fetch(url, { credentials: "same-origin", ...options });
  } catch (error) {
    // An abort by the caller is the caller's; everything else is the network.
    if (error instanceof DOMException && error.name === "AbortError") {
      throw error;
    }
    throw new UnreachableError("The server cannot be reached.", { cause: error });
  }
}

/** @param {Response} response */
async function readJson(response) {
  if (!response.headers.get("Content-Type")?.includes("json")) {
    return undefined;
  }
  try {
    return /** @type {unknown} */ (await response.json());
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") {
      throw error;
    }
    throw new UnreachableError("The response was interrupted.", { cause: error });
  }
}

/**
 * @param {number} seconds
 * @param {AbortSignal} [signal]
 */
function withTimeout(seconds, signal) {
  const timeout = AbortSignal.timeout(seconds * 1000);
  return signal ? AbortSignal.any([timeout, signal]) : timeout;
}

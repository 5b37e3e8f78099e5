// How the page hears of changes: by the event stream, or by asking while the stream is away.

/** @typedef {{failures: number, isClosed: boolean}} StreamState */

/** @type {StreamState} */
export const FRESH_STREAM = Object.freeze({ failures: 0, isClosed: false });

export const POLL_EVERY = 5_000;
export const TRY_STREAM_EVERY = 30_000;
// The server ends each stream after some minutes: one failure is usual.
const TOO_MANY = 2;

/** @returns {StreamState} */
export function afterOpen() {
  return FRESH_STREAM;
}

/**
 * @param {StreamState} state
 * @param {boolean} isClosed Whether the browser has given up.
 * @returns {StreamState}
 */
export function afterFailure(state, isClosed) {
  return { failures: state.failures + 1, isClosed };
}

/** @param {StreamState} state */
export function isPolling(state) {
  return state.isClosed || state.failures >= TOO_MANY;
}

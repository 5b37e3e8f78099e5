// The server's types of threads. Nothing here runs.

/** @import { Point } from "../../viewer/types.js" */

/**
 * A comment's text, in parts: strings, and elements of few kinds.
 *
 * @typedef {string | {tag: string, children: readonly Part[], href?: string}} Part
 */

/**
 * @typedef {object} Comment
 * @property {string} id
 * @property {string} by
 * @property {string} client The program that wrote the comment, by the name it gave itself.
 * @property {string} at
 * @property {boolean} isEdited
 * @property {boolean} isDeleted
 * @property {boolean} isRejection
 * @property {boolean} mayEdit
 * @property {string} text The original text, for its author.
 * @property {readonly Part[]} content
 */

/**
 * @typedef {object} Thread
 * @property {string} id
 * @property {string | null} screenshotId Of this build; null if the build does not have it.
 * @property {string} title
 * @property {string} variant
 * @property {Point | null} place
 * @property {number} more Other screenshots of the rejection.
 * @property {number | null} build The number of the thread's first build.
 * @property {boolean} isEarlier Written about other images than the screenshot's.
 * @property {"" | "stands" | "withdrawn"} rejection
 * @property {string} resolvedBy
 * @property {string | null} resolvedAt
 * @property {readonly Comment[]} comments
 */

export {};

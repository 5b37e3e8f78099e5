// What the server sends of threads. Nothing here runs.

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
 * @property {string} client What the program calls itself that wrote it.
 * @property {string} at
 * @property {boolean} isEdited
 * @property {boolean} isDeleted
 * @property {boolean} isRejection
 * @property {boolean} mayEdit
 * @property {string} text As it was written, for its author.
 * @property {readonly Part[]} content
 */

/**
 * @typedef {object} Thread
 * @property {string} id
 * @property {string | null} screenshotId Of this build; null where the build does not have it.
 * @property {string} title
 * @property {string} variant
 * @property {Point | null} place
 * @property {number} more Other screenshots that its rejection is on.
 * @property {number | null} build The number of the build where it began.
 * @property {boolean} isEarlier Written about other images than the screenshot has.
 * @property {"" | "stands" | "withdrawn"} rejection
 * @property {string} resolvedBy
 * @property {string | null} resolvedAt
 * @property {readonly Comment[]} comments
 */

export {};

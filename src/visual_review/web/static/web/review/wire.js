// The types of the server's data. Nothing here runs.

/** @import { ApprovalPreview, Build, Details, Group } from "./types.js" */

/**
 * A screenshot in the index; navigator/model reads rows.
 * @typedef {readonly (string | number)[]} Row
 */

/**
 * Rows with the tables that their numbers point into.
 * @typedef {object} Rows
 * @property {readonly (readonly [string, string])[]} stories
 * @property {readonly string[]} kinds
 * @property {readonly string[]} people
 * @property {readonly string[]} messages
 * @property {readonly Row[]} screenshots
 */

/**
 * @typedef {Omit<Rows, "screenshots"> & {decisionId: string, cursor: string, build: Build,
 *   screenshots: readonly Row[] | null, decided: number, finalized: boolean, version: number | null,
 *   acceptedRemovals: number, acceptedFailures: number, openScreenshots: number, removalsOpen: number,
 *   failedScreenshots: number, warnings: readonly string[], undoable: boolean}} DecisionResult
 */

/** @typedef {Rows & {cursor: string, build: Build, groups?: readonly Group[], reload?: false}} Changes */

/** @typedef {{screenshotId: string, decision: string, by: string, at: string, comment: string}} Conflict */

/**
 * The fields of an error in addition to its message.
 * @typedef {object} ErrorBody
 * @property {string} error
 * @property {"finalize" | "override"} [needs]
 * @property {ApprovalPreview} [preview]
 * @property {readonly Conflict[]} [conflicts]
 * @property {number} [conflictCount]
 * @property {string} [restoreUrl]
 * @property {string} [organization] The person's other organization, which has what was not found.
 */

/** @typedef {{build: {url: string, number: number, repository: string, changes: number} | null, waiting: number}} NextBuild */

/** @typedef {{screenshots: readonly Details[]}} DetailsList */

export {};

// The types that the modules of the review page share. Nothing here runs.

/** @import { Pin } from "../viewer/types.js" */

/** @typedef {"changed" | "new" | "removed" | "failed" | "pending" | "unchanged"} DiffState */
/** @typedef {"" | "approved" | "rejected"} Decision */
/** @typedef {"light" | "dark"} Theme */
/** @typedef {"phone" | "tablet" | "desktop"} Device */

/**
 * One screenshot of the list: an image of a story in one variant.
 *
 * @typedef {object} Screenshot
 * @property {string} id
 * @property {string} storyId
 * @property {string} title
 * @property {Theme} theme
 * @property {Device} device
 * @property {DiffState} state
 * @property {Decision} decision
 * @property {string | null} groupId
 * @property {string} kind The kind of change, or nothing.
 * @property {number} severity 0 to 1; orders screenshots.
 * @property {number} ratio The share of pixels that differ, 0 to 1.
 * @property {number} width Of the image shown, in pixels.
 * @property {number} height
 * @property {boolean} inherited
 * @property {boolean} onlyInRegions
 * @property {boolean} matchesFormerBaseline
 * @property {boolean} unstable
 * @property {boolean} carriedOver
 * @property {boolean} hasComment
 * @property {boolean} hasNotes Whether the capture has notes on the screenshot.
 * @property {string} decidedBy
 * @property {string} message The reason of the failure.
 */

/**
 * Screenshots that changed alike, or without `isAlike`: new ones, removed ones, or screenshots
 * with changes that are not from the branch. `revision` is of the members' images.
 *
 * @typedef {object} Group
 * @property {string} id
 * @property {string} name
 * @property {string} kind
 * @property {string} revision
 * @property {number} count
 * @property {string[]} remainders Ids of screenshots with this change and more besides.
 * @property {number} position
 * @property {boolean} isAlike
 */

/**
 * @typedef {object} Counts
 * @property {number} changed
 * @property {number} new
 * @property {number} removed
 * @property {number} failed
 * @property {number} unchanged
 * @property {number} inherited Of the unchanged ones: not captured, taken over from the baseline.
 * @property {number} pending
 */

/**
 * @typedef {object} Build
 * @property {string} id
 * @property {number} number
 * @property {"uploading" | "processing" | "completed" | "failed" | "expired"} status
 * @property {string} failure
 * @property {"unreviewed" | "approved" | "rejected" | "not_required"} reviewState
 * @property {string} repositoryId
 * @property {string} decidedBy
 * @property {number} threadRevision Different after each change of a thread.
 * @property {string | null} decidedAt
 * @property {string} decisionSource
 * @property {Counts} counts
 * @property {{branch: string, version: number, url: string} | null} baseline The baseline of the comparison.
 * @property {string} ownBranch
 * @property {boolean} isPartial
 * @property {{number: number, url: string} | null} supersededBy
 * @property {string} url
 * @property {string | null} historyUrl
 * @property {boolean} decidable
 */

/** @typedef {{id: string, name: string, mayReview: boolean}} Reviewer */

/**
 * All that the list knows about a build.
 *
 * @typedef {object} Snapshot
 * @property {string} cursor
 * @property {Build} build
 * @property {Reviewer} me
 * @property {Map<string, Group>} groups In the order of their positions.
 * @property {Map<string, Screenshot>} screenshots In the order of the server.
 * @property {string[]} [variants] The captured variants, such as "light phone".
 * @property {ReadonlyMap<string, number>} [unchangedVariants] By story, a bit for each variant without a screenshot here.
 * @property {number} unchangedCount
 * @property {boolean} hasUnchanged Whether the unchanged ones are among the screenshots.
 */

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** @typedef {{url: string, width: number, height: number}} ImageSource */

/**
 * One changed area, in pixels of the compared images.
 *
 * @typedef {Box & {kind: string, pixels: number, description: string,
 *   movedBy?: {x: number, y: number}, colors?: {before: string, after: string},
 *   contrast?: {before: number, after: number}}} Change
 */

/**
 * A part of the images that is not compared: set for the product, or by the story itself.
 *
 * @typedef {Box & {fromStory?: boolean}} Region
 */

/**
 * Of the last captures of a story's variant: how many were unstable, and how many looked otherwise
 * than the one before though their sources did not change.
 *
 * @typedef {{captures: number, unstable: number, varied: number}} Flakiness
 */

/**
 * The images a program had looked at before deciding; `is_marked` if it approved without a look.
 *
 * @typedef {object} Evidence
 * @property {string} by
 * @property {string} listed The decider as named in rows.
 * @property {string} program
 * @property {string} images
 * @property {boolean} is_marked
 */

/**
 * The details of a screenshot, loaded when the screenshot is near.
 *
 * @typedef {object} Details
 * @property {string} id
 * @property {string} summary
 * @property {string} message
 * @property {string} comment
 * @property {string} decidedBy
 * @property {string | null} decidedAt
 * @property {string} decidedClient
 * @property {string | null} carriedFrom
 * @property {string} carriedFromName
 * @property {Evidence | null} evidence
 * @property {string | null} newerId The screenshot of the build that superseded this one, if it shows the same pair.
 * @property {number} earlierDecisions
 * @property {{before: ImageSource | null, after: ImageSource | null, diff: ImageSource | null}} images
 * @property {Change[]} changes
 * @property {Box[]} boxes
 * @property {Region[]} regions
 * @property {{regions: Box[], by: string, at: string | null}} ownRegions Dynamic regions in fractions of the images, as stored.
 * @property {number} alignedRatio
 * @property {number} faintPixels
 * @property {string} unstable
 * @property {string[]} notes Other notes of the capture.
 * @property {Flakiness | null} flakiness Null if the story was never flaky.
 */

/**
 * What the viewer shows.
 *
 * @typedef {object} ViewerInput
 * @property {string} id
 * @property {string} label
 * @property {DiffState} state
 * @property {ImageSource | null} before
 * @property {ImageSource | null} after
 * @property {ImageSource | null} diff
 * @property {Change[]} changes
 * @property {Box[]} boxes
 * @property {Box[]} regions
 * @property {readonly Pin[]} [pins]
 * @property {string} [message] The reason for a missing image.
 */

/** @typedef {"side-by-side" | "overlay" | "swipe" | "blink" | "difference"} ViewerMode */

/**
 * One line of the list. Headings are of sections, groups and folders of stories.
 *
 * @typedef {object} Item
 * @property {string} key Unique, and the same after every change of the data.
 * @property {"section" | "failure" | "group" | "folder" | "story" | "screenshot" | "remainder" | "loading"} type
 * @property {string[]} ids The screenshots of the line, in order; none while a section is folded.
 * @property {number} level
 */

/**
 * The server's preview of an approval.
 *
 * @typedef {object} ApprovalPreview
 * @property {number} undecided
 * @property {number} changed
 * @property {number} new
 * @property {number} removed
 * @property {number} removalsOpen
 * @property {number} failures
 * @property {{by: string, count: number}[]} rejections
 * @property {number} version
 * @property {string} branch
 * @property {boolean} rollsBack
 * @property {number | null} replacesBuild
 * @property {boolean} alreadyApproved
 */

export {};

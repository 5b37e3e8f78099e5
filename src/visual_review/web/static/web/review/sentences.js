// The page's sentences with numbers and names.

import { countOf, formatCount } from "../navigator/model/names.js";

/** @import { ApprovalPreview, Build, Decision, Details, Flakiness, Snapshot } from "./types.js" */
/** @import { Progress } from "./progress.js" */
/** @import { Conflict } from "./wire.js" */

/** @type {Readonly<Record<"approved" | "rejected" | "cleared", string>>} */
const DONE = { approved: "Approved", rejected: "Rejected", cleared: "Cleared the decision of" };

/**
 * @param {"approved" | "rejected" | "cleared"} decision
 * @param {string} label
 */
export function describeDecision(decision, label) {
  return `${DONE[decision]} ${label}`;
}

/** @type {Readonly<Record<Build["reviewState"], string>>} */
const REVIEW_STATES = {
  unreviewed: "Needs review",
  approved: "Approved",
  rejected: "Rejected",
  not_required: "No changes",
};

/**
 * Say in two or three words where a build is.
 * @param {Build} build
 */
export function describeBuild(build) {
  if (build.status === "completed") {
    return REVIEW_STATES[build.reviewState] + describeCapture(build.counts);
  }
  const names = { uploading: "Being uploaded", processing: "Being compared", failed: "Failed", expired: "Upload expired" };
  return names[build.status];
}

/**
 * Say where most screenshots were not captured: their changes are unknown.
 * @param {Build["counts"]} counts
 */
function describeCapture({ changed, new: added, failed, unchanged, inherited }) {
  const captured = changed + added + failed + unchanged - inherited;
  return inherited > captured ? ` (${formatCount(captured)} captured, ${formatCount(inherited)} taken over)` : "";
}

/** @param {Flakiness} flakiness */
export function describeFlakiness({ captures, unstable, varied }) {
  const parts = [];
  if (unstable > 0) {
    parts.push(`Unstable in ${unstable} of the last ${countOf(captures, "capture")}`);
  }
  if (varied > 0) {
    parts.push(`${varied} of the last ${countOf(captures, "capture")} changed without a change of the sources`);
  }
  return parts.join("; ");
}

/** @param {Pick<Progress, "decided" | "total" | "removalsOpen">} progress */
export function describeProgress({ decided, total, removalsOpen }) {
  const removals = removalsOpen > 0 ? `${countOf(removalsOpen, "removal")} undecided` : "";
  const count = total > 0 ? `${formatCount(decided)} of ${formatCount(total)} decided` : "";
  return [count, removals].filter(Boolean).join(", ") || "Nothing to decide";
}

/** @param {number} count */
export function describeUnsaved(count) {
  return count === 1 ? "1 decision not saved yet" : `${formatCount(count)} decisions not saved yet`;
}

/**
 * Say what approving the build does, before it is done.
 * @param {ApprovalPreview} preview
 * @returns {string[]}
 */
export function describeApproval(preview) {
  const lines = [`Version ${preview.version} becomes the baseline of ${preview.branch}.`];
  if (preview.undecided > 0) {
    lines.push(`${countOf(preview.undecided, "screenshot")} that no one decided about ${preview.undecided === 1 ? "is" : "are"} approved.`);
  }
  if (preview.removed > 0) {
    lines.push(`${countOf(preview.removed, "removed screenshot")} ${preview.removed === 1 ? "leaves" : "leave"} the baseline.`);
  }
  if (preview.failures > 0) {
    lines.push(`${countOf(preview.failures, "failure")} ${preview.failures === 1 ? "is" : "are"} accepted; the baseline keeps what it has there.`);
  }
  if (preview.rollsBack) {
    lines.push(`This goes back: the baseline is from the newer build ${preview.replacesBuild === null ? "" : `#${preview.replacesBuild} `}now.`);
  }
  if (preview.alreadyApproved) {
    lines.push("This build is approved already.");
  }
  return lines;
}

/** @param {number} count */
export function describeOpenRemovals(count) {
  return `${countOf(count, "removed screenshot")} ${count === 1 ? "is" : "are"} undecided.`;
}

/** @param {number} count */
export function describeUnseen(count) {
  return `Of ${countOf(count, "screenshot")}, something has not been in view here.`;
}

/**
 * @param {ApprovalPreview["rejections"]} rejections
 */
export function describeRejections(rejections) {
  const total = rejections.reduce((sum, each) => sum + each.count, 0);
  const whose = rejections.map((each) => `${each.count} by ${each.by}`).join(", ");
  return `Also approve ${countOf(total, "rejected screenshot")} (${whose})`;
}

/**
 * Name the conflicting decision: "Bob rejected this 3 seconds ago."
 * @param {Conflict} conflict
 * @param {number} now
 */
export function describeConflict(conflict, now) {
  const verb = conflict.decision === "approved" || conflict.decision === "rejected" ? `${conflict.decision} this` : "cleared the decision";
  const comment = conflict.comment ? ` “${shorten(conflict.comment, 300)}”` : "";
  return `${conflict.by} ${verb} ${describeAge(now - Date.parse(conflict.at))}.${comment}`;
}

/** @param {number} milliseconds */
export function describeAge(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (Number.isNaN(seconds) || seconds < 1) {
    return "just now";
  }
  const steps = /** @type {const} */ ([[60, "second", 1], [3600, "minute", 60], [86_400, "hour", 3600]]);
  const [, unit, size] = steps.find(([limit]) => seconds < limit) ?? [0, "day", 86_400];
  return `${countOf(Math.floor(seconds / size), unit)} ago`;
}

/**
 * @param {string} text
 * @param {number} most
 */
export function shorten(text, most) {
  const characters = [...text.slice(0, most * 2)];
  return characters.length <= most && text.length <= most * 2 ? text : `${characters.slice(0, most).join("")}…`;
}

/**
 * Say who decided: "Approved by Bob".
 * @param {Decision} decision
 * @param {string} decidedBy
 * @param {boolean} isCarriedOver
 */
export function describeDecider(decision, decidedBy, isCarriedOver) {
  if (!decision) {
    return "Undecided";
  }
  const whose = decidedBy ? ` by ${decidedBy}` : "";
  return `${DONE[decision]}${whose}${isCarriedOver ? ", carried over" : ""}`;
}

/**
 * Say why there is no screenshot to look at.
 * @param {Snapshot} snapshot
 */
export function describeEmpty({ build, unchangedCount, screenshots }) {
  const texts = {
    uploading: "The screenshots of this build are still being uploaded. This page fills itself.",
    processing: "The screenshots of this build are being compared. This page fills itself.",
    failed: `This build failed. ${build.failure}`,
    expired: "The upload of this build was never finished, so it expired. Publish it again.",
    completed: "No screenshot matches the filters.",
  };
  if (build.status === "completed" && screenshots.size === 0) {
    return unchangedCount > 0 ? `Nothing to review: ${unchangedCount === 1 ? "the only screenshot matches" : `all ${formatCount(unchangedCount)} screenshots match`} the baseline.` : "This build has no screenshots.";
  }
  return texts[build.status];
}

/**
 * Say what is worth knowing about a screenshot in one line; a narrow page shows its beginning.
 * @param {Pick<Details, "summary" | "message" | "unstable" | "notes">} details
 * @param {string} otherwise The text if there is nothing to say.
 */
export function describeSummary({ summary, message, unstable, notes }, otherwise) {
  const found = [...(unstable ? [`Unstable: ${unstable}`] : []), ...notes];
  const change = summary || message;
  if (change) {
    return found.length > 0 ? `${change} · ${countOf(found.length, "note")}` : change;
  }
  const [first, ...others] = found;
  if (!first) {
    return otherwise;
  }
  return others.length > 0 ? `${countOf(found.length, "note")}: ${first}` : first;
}

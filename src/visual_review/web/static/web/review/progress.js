// The progress of a review, and the primary button.

/** @import { Screenshot, Snapshot } from "./types.js" */

/** @typedef {{decided: number, total: number, approved: number, rejected: number, failed: number, pending: number, removalsOpen: number}} Progress */

/**
 * Count the screenshots that keep the build open: changed and new ones. Removed ones do not, and
 * are counted apart.
 * @param {Snapshot} snapshot
 * @returns {Progress}
 */
export function countProgress(snapshot) {
  const progress = { decided: 0, total: 0, approved: 0, rejected: 0, failed: 0, pending: 0, removalsOpen: 0 };
  for (const each of snapshot.screenshots.values()) {
    if (each.state === "failed" || each.state === "pending") {
      progress[each.state] += 1;
    } else if (each.state === "removed") {
      progress.removalsOpen += each.decision === "" ? 1 : 0;
    } else if (each.state !== "unchanged") {
      progress.total += 1;
      progress.approved += each.decision === "approved" ? 1 : 0;
      progress.rejected += each.decision === "rejected" ? 1 : 0;
    }
  }
  return { ...progress, decided: progress.approved + progress.rejected };
}

/** Whether there is something to look at. @param {Screenshot} screenshot */
export function isToReview({ state }) {
  return state === "changed" || state === "new" || state === "removed";
}

/**
 * Return which button is the primary one. See docs/explanation/design/review-page.md.
 * @param {Snapshot} snapshot
 * @param {Progress} progress
 * @returns {"screenshot" | "build" | "none"}
 */
export function primaryAction({ build, me }, progress) {
  if (!me.mayReview || !build.decidable || build.reviewState === "approved") {
    return "none";
  }
  if (progress.decided < progress.total || progress.removalsOpen > 0) {
    return "screenshot";
  }
  return progress.total + progress.failed > 0 ? "build" : "none";
}

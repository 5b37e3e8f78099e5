// The dialog after the last decision: a summary, and the next steps.

import { countOf, formatCount } from "../navigator/model/names.js";
import { ask } from "./dialog.js";
import { element, isolated } from "./dom.js";

/** @import { Child } from "./dom.js" */
/** @import { Progress } from "./progress.js" */
/** @import { Build } from "./types.js" */
/** @import { DecisionResult, NextBuild } from "./wire.js" */

/**
 * @param {Build} build
 * @param {DecisionResult} result
 * @returns {string[]}
 */
export function describeFinalized({ number, ownBranch }, result) {
  const lines = [`Build #${number} is approved.`];
  if (result.version !== null) {
    lines.push(`Version ${result.version} is the baseline of ${ownBranch} now.`);
  }
  if (result.acceptedRemovals > 0) {
    lines.push(`${countOf(result.acceptedRemovals, "removed screenshot")} left the baseline.`);
  }
  if (result.acceptedFailures > 0) {
    lines.push(`${countOf(result.acceptedFailures, "failure")} accepted.`);
  }
  return [...lines, ...result.warnings];
}

/**
 * @param {Build} build
 * @param {Progress} progress
 * @returns {string[]}
 */
export function describeDecided({ number, reviewState }, progress) {
  const lines = [`Everything in build #${number} is decided: ${formatCount(progress.approved)} approved, ${formatCount(progress.rejected)} rejected.`];
  if (progress.failed > 0 && reviewState !== "approved") {
    lines.push(`${countOf(progress.failed, "failure")} ${progress.failed === 1 ? "keeps" : "keep"} it open. Approve the build to accept them, or fix them and publish again.`);
  } else if (progress.rejected > 0) {
    lines.push("The build stays rejected until a later one fixes it.");
  }
  return lines;
}

/**
 * Show the summary; return whether the person goes to the next build.
 * @param {string} title
 * @param {readonly string[]} lines
 * @param {{next: NextBuild | null, historyUrl: string | null}} links
 */
export async function showSummary(title, lines, { next, historyUrl }) {
  const build = next?.build ?? null;
  const chosen = await ask({
    title,
    name: "summary",
    body: [
      element("ul", { class: "dialog__lines" }, ...lines.map((line) => element("li", { dir: "auto" }, line))),
      describeNext(next),
      historyUrl !== null && element("p", { class: "muted small" }, "Approved by mistake? ", element("a", { href: historyUrl }, "Restore an earlier baseline"), "."),
    ],
    choices: build
      ? [{ label: `Review #${build.number}`, look: "primary", value: () => build.url }, { label: "Stay here", value: () => "" }]
      : [{ label: "Close", value: () => "" }],
  });
  if (chosen) {
    location.assign(chosen);
  }
}

/**
 * @param {NextBuild | null} next
 * @returns {Child}
 */
function describeNext(next) {
  if (!next) {
    return null;
  }
  if (!next.build) {
    return element("p", {}, "No other build waits for a review.");
  }
  const { number, repository, changes } = next.build;
  const others = next.waiting > 1 ? ` ${countOf(next.waiting, "build")} wait for a review.` : "";
  return element("p", {}, `Next: build #${number} of `, isolated(repository), ` with ${countOf(changes, "change")}.${others}`);
}

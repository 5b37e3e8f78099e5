// The questions of a decision: a comment, the approval of a build, someone else's decision.

import { countOf } from "../navigator/model/names.js";
import { ask } from "./dialog.js";
import { element, isolated } from "./dom.js";
import { describeApproval, describeConflict, describeOpenRemovals, describeRejections, describeUnseen } from "./sentences.js";

/** @import { ApprovalPreview, Details } from "./types.js" */
/** @import { Conflict, ErrorBody } from "./wire.js" */

const MOST_CONFLICTS = 5;

/**
 * Ask for the comment of a rejection; null where the person cancels.
 * @param {string} label
 * @param {{draft: string, keepDraft: (text: string) => void}} comment
 */
export function askForComment(label, { draft, keepDraft }) {
  const field = element("textarea", { id: "reject-comment", rows: 5, class: "dialog__comment", dir: "auto" });
  field.value = draft;
  field.addEventListener("input", () => keepDraft(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form?.requestSubmit();
    }
  });
  return ask({
    title: "Reject",
    name: "reject",
    body: [
      element("p", {}, isolated(label)),
      element("label", { for: "reject-comment" }, "Comment (optional)"),
      field,
      element("p", { class: "muted small" }, "It is posted on the pull request. Ctrl+Enter rejects."),
    ],
    choices: [{ label: "Reject", look: "danger", value: () => field.value.trim() }, cancel("Cancel")],
    focus: field,
  });
}

/**
 * Ask before the members of a group are approved.
 * @param {string} label
 * @param {number} count
 * @param {number} unseen How many members were not completely in view.
 */
export function askToApproveMembers(label, count, unseen) {
  return ask({
    title: `Approve ${countOf(count, "screenshot")}?`,
    name: "approve-members",
    body: [element("p", {}, isolated(label)), unseen > 0 && element("p", { class: "notice notice--warning" }, describeUnseen(unseen))],
    choices: [{ label: `Approve ${countOf(count, "screenshot")}`, look: "primary", value: () => true }, cancel("Cancel")],
  });
}

/**
 * Ask before a build is approved; null where the person cancels.
 * @param {number} number
 * @param {ApprovalPreview} preview
 * @param {{unchanged: number, unseen: number}} counts
 * @returns {Promise<{includeUnchanged: boolean, confirmed: string[]} | null>}
 */
export function askToApproveBuild(number, preview, { unchanged, unseen }) {
  const { rejections } = preview;
  const override = element("input", { type: "checkbox", required: true });
  const unchangedToo = element("input", { type: "checkbox" });
  return ask({
    title: `Approve build #${number}?`,
    name: "approve-build",
    body: [
      preview.removalsOpen > 0 && element("p", { class: "notice notice--warning" }, describeOpenRemovals(preview.removalsOpen)),
      unseen > 0 && element("p", { class: "notice notice--warning" }, describeUnseen(unseen)),
      listLines(describeApproval(preview)),
      rejections.length > 0 && element("label", { class: "dialog__check notice notice--warning" }, override, describeRejections(rejections)),
      unchanged > 0 && element("label", { class: "dialog__check" }, unchangedToo, `Also mark ${countOf(unchanged, "unchanged screenshot")} as approved`),
    ],
    choices: [
      {
        label: "Approve build",
        look: "primary",
        checks: true,
        value: () => ({ includeUnchanged: unchangedToo.checked, confirmed: rejections.length > 0 ? ["finalize", "override"] : ["finalize"] }),
      },
      cancel("Cancel"),
    ],
  });
}

/**
 * Ask before the last decision approves the build; null where the person cancels. Removed
 * screenshots do not keep the build from being approved, so undecided removals are offered first.
 * @param {string} label
 * @param {ErrorBody} body
 * @returns {Promise<"approve" | "look" | null>}
 */
export function askToFinalize(label, { error, preview }) {
  const removals = preview?.removalsOpen ?? 0;
  const lines = listLines(preview ? describeApproval(preview) : [error]);
  if (removals === 0) {
    return ask({
      title: "Approve the build with this decision?",
      name: "finalize",
      body: [element("p", {}, "This is the last decision that was missing: ", isolated(label), "."), lines],
      choices: [{ label: "Approve the build", look: "primary", value: () => "approve" }, cancel("Not now")],
    });
  }
  return ask({
    title: "Approve the build with this decision?",
    name: "finalize",
    body: [element("p", { class: "notice notice--warning" }, describeOpenRemovals(removals)), element("p", {}, isolated(label)), lines],
    choices: [{ label: "Look at them", look: "primary", value: () => "look" }, { label: "Accept them and approve", value: () => "approve" }, cancel("Not now")],
  });
}

/**
 * Ask whose decision counts; the first button, with the focus, changes nothing.
 * @param {string} label
 * @param {ErrorBody} body
 * @param {"approve" | "reject" | "clear"} verb
 * @param {Details | null} shown The screenshot of the first conflict.
 */
export function askToOverride(label, { error, conflicts = [], conflictCount = conflicts.length }, verb, shown) {
  const lines = conflicts.slice(0, MOST_CONFLICTS).map((each) => describeConflict(each, Date.now()));
  const more = conflictCount - lines.length;
  return ask({
    title: "Someone else decided this",
    name: "override",
    body: [
      element("p", {}, isolated(label)),
      shown && showImages(shown),
      listLines(lines.length > 0 ? lines : [error]),
      more > 0 && element("p", { class: "muted" }, `And ${countOf(more, "more decision")}.`),
    ],
    choices: [cancel(nameKeeping(conflicts)), { label: `Replace: ${verb}`, look: "danger", value: () => true }],
  });
}

/** @param {Details} shown */
function showImages({ images }) {
  const sides = [{ image: images.before, alt: "Before" }, { image: images.after, alt: "After" }];
  const shown = sides.map(({ image, alt }) => image && element("img", { src: image.url, alt, class: "dialog__image" }));
  return element("div", { class: "dialog__images" }, ...shown);
}

/**
 * Ask before a decision in a build superseded by a newer push: "here", the URL to go to, or null.
 * @param {number} number
 * @param {{number: number, url: string}} newer
 * @param {string | null} newerId The same pair of images in the newer build.
 * @returns {Promise<string | null>}
 */
export function askAboutSuperseded(number, newer, newerId) {
  const same = newerId === null ? "" : " The same change is there, too.";
  return ask({
    title: `Build #${newer.number} is newer`,
    name: "superseded",
    body: [element("p", {}, `A newer push has superseded build #${number}. A decision here does not change build #${newer.number}.${same}`)],
    choices: [
      { label: newerId === null ? `Open #${newer.number}` : `Show it in #${newer.number}`, look: "primary", value: () => (newerId === null ? newer.url : `${newer.url}#${newerId}`) },
      { label: "Decide here", value: () => "here" },
      cancel("Cancel"),
    ],
  });
}

/** @param {readonly Conflict[]} conflicts */
function nameKeeping(conflicts) {
  const people = new Set(conflicts.map((each) => each.by));
  const [only] = people;
  return people.size === 1 && only ? `Keep ${only}’s decision` : "Keep their decisions";
}

/** @param {string} label */
function cancel(label) {
  return { label, value: () => null };
}

/** @param {readonly string[]} lines */
function listLines(lines) {
  return element("ul", { class: "dialog__lines" }, ...lines.map((line) => element("li", { dir: "auto" }, line)));
}

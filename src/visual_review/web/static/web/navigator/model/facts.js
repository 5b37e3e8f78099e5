// The facts in a line, as plain values and texts.

/** @import { DiffState, Group, Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Line } from "./lines.js" */
/** @import { Lookup } from "./lookup.js" */
/** @import { Cell } from "./matrix.js" */
/** @import { SectionName } from "./parts.js" */

import { splitTitle } from "./folders.js";
import { findScreenshots } from "./lookup.js";
import { buildCells, describeOnly, nameVariant, variantsOf } from "./matrix.js";
import { capitalize, countOf, formatCount, formatShare, STATE_NAMES } from "./names.js";
import { needsDecision } from "./steps.js";

/** @typedef {"" | "approved" | "rejected"} Mark */
/** @typedef {{icon: string, name: string}} Sign */

/** @type {readonly (Sign & {isOf: (screenshot: Screenshot) => boolean})[]} */
const SIGNS = [
  { icon: "unstable", name: "Unstable", isOf: ({ unstable }) => unstable },
  { icon: "info", name: "Has notes", isOf: ({ hasNotes }) => hasNotes },
  { icon: "comment", name: "Has a comment", isOf: ({ hasComment }) => hasComment },
  { icon: "carried-over", name: "Carried over", isOf: ({ carriedOver }) => carriedOver },
  {
    icon: "undo",
    name: "Looks like a former baseline",
    isOf: ({ matchesFormerBaseline }) => matchesFormerBaseline,
  },
];

/**
 * @typedef {object} StoryFacts
 * @property {string} path
 * @property {string} name
 * @property {DiffState} state The worst state of the variants.
 * @property {string} change The kind of change, such as "Text".
 * @property {string} share How much of the image, such as "1.2 %".
 * @property {Mark} mark
 * @property {string} decision In words; empty while nothing is decided.
 * @property {string} decidedBy Empty where several people decided.
 * @property {string} only Such as "only dark".
 * @property {readonly Sign[]} signs Other facts worth knowing.
 * @property {readonly Cell[]} cells
 * @property {string} thumbnail The screenshot of the thumbnail.
 * @property {string} more The content of the cells, for screen readers.
 */

/** @type {readonly DiffState[]} */
const WORST_FIRST = ["failed", "changed", "new", "removed", "pending", "unchanged"];

/** @type {Readonly<Record<SectionName, string>>} */
const SECTION_NAMES = { ...STATE_NAMES, elsewhere: "Not from this branch", decided: "Decided" };

/**
 * @param {Line} line
 * @param {Snapshot} snapshot
 * @param {Lookup} lookup
 * @param {string | null} current
 * @returns {StoryFacts}
 */
export function describeStory(line, snapshot, lookup, current) {
  const own = findScreenshots(line.ids, snapshot);
  const ofStory = findScreenshots(lookup.byStory.get(line.storyId) ?? line.ids, snapshot);
  const { folders, prefix } = lookup.shared;
  const { path, name } = splitTitle(line.label);
  const variants = variantsOf(ofStory, lookup.unchangedVariants.get(line.storyId) ?? 0);
  const state = WORST_FIRST.find((each) => own.some((shot) => shot.state === each)) ?? "pending";
  const first = own.find(({ id }) => id === current) ?? own.find(needsDecision) ?? own[0];
  const undecided = own.some(needsDecision) ? "Undecided" : "";
  const decision = describeDecision(own);
  const signs = SIGNS.filter(({ isOf }) => own.some(isOf));
  return {
    path: path.slice(folders.length).join(" / "),
    name: name.slice(prefix.length),
    state,
    ...describeChange(own),
    ...decision,
    only: state === "unchanged" || state === "failed" ? "" : describeOnly(ofStory, variants),
    signs,
    cells: buildCells(ofStory, line.ids, variants),
    thumbnail: first?.id ?? "",
    more: [own.map(nameVariant).join(", "), decision.decision ? "" : undecided]
      .concat(signs.map((sign) => sign.name))
      .filter(Boolean)
      .join(". "),
  };
}

/** @param {readonly Screenshot[]} own */
function describeChange(own) {
  const changed = own.filter(({ state }) => state === "changed");
  const [worst] = [...changed].sort((one, other) => other.severity - one.severity);
  if (!worst) {
    return { change: "", share: "" };
  }
  const share = formatShare(Math.max(...changed.map(({ ratio }) => ratio)));
  return { change: capitalize(worst.kind), share };
}

/**
 * @param {readonly Screenshot[]} own
 * @returns {{mark: Mark, decision: string, decidedBy: string}}
 */
function describeDecision(own) {
  const decided = own.filter(({ decision }) => decision !== "");
  const all = own.filter((each) => each.decision !== "" || needsDecision(each)).length;
  if (decided.length === 0) {
    return { mark: "", decision: "", decidedBy: "" };
  }
  const rejected = decided.filter(({ decision }) => decision === "rejected").length;
  const mark = rejected > 0 ? "rejected" : "approved";
  const count = rejected || decided.length;
  const what = count === all ? capitalize(mark) : `${count} of ${all} ${mark}`;
  const people = new Set(decided.map(({ decidedBy }) => decidedBy));
  const [person] = people;
  return { mark, decision: what, decidedBy: person && people.size === 1 ? person : "" };
}

/**
 * @typedef {object} GroupFacts
 * @property {string} name
 * @property {string} alike Such as "12 alike, 1 differs".
 * @property {string} progress
 * @property {number} decided
 * @property {number} total
 * @property {Mark} mark
 * @property {string} thumbnail
 */

/**
 * @param {Line} line
 * @param {Snapshot} snapshot
 * @param {Lookup} lookup
 * @param {string | null} current
 * @returns {GroupFacts}
 */
export function describeGroup(line, snapshot, lookup, current) {
  const all = findScreenshots(lookup.byGroup.get(line.groupId ?? "") ?? [], snapshot);
  const undecided = all.filter(needsDecision).length;
  const rejected = all.filter(({ decision }) => decision === "rejected").length;
  const total = all.length;
  const decided = total - undecided;
  const name = capitalize(line.label);
  const group = snapshot.groups.get(line.groupId ?? "");
  const alike = group?.isAlike ? describeAlike(group) : countOf(total, "screenshot");
  const progress = describeProgress(decided, total, rejected);
  const isInside = current !== null && line.members.includes(current);
  return {
    name,
    alike,
    progress,
    decided,
    total,
    mark: undecided > 0 ? "" : rejected > 0 ? "rejected" : "approved",
    thumbnail: (isInside ? current : line.members[0]) ?? "",
  };
}

/**
 * @param {Group} group
 */
function describeAlike(group) {
  const alike = `${formatCount(group.count)} alike`;
  const more = group.remainders.length;
  return more > 0 ? `${alike}, ${formatCount(more)} with more changes` : alike;
}

/**
 * @param {number} decided
 * @param {number} total
 * @param {number} rejected
 */
function describeProgress(decided, total, rejected) {
  if (decided < total) {
    return `${formatCount(decided)} of ${formatCount(total)} decided`;
  }
  return rejected === 0 ? "All approved" : `${formatCount(rejected)} of ${formatCount(total)} rejected`;
}

/**
 * @param {Line} line
 * @param {Snapshot} snapshot
 * @param {boolean} isTree
 * @returns {{name: string, count: string, more: string}}
 */
export function describeHeading(line, snapshot, isTree) {
  const name = isTree && line.section === "changed" ? "Stories" : nameHeading(line);
  const undecided = findScreenshots(line.members, snapshot).filter(needsDecision).length;
  const isMissing = line.section === "unchanged" && !snapshot.hasUnchanged;
  const number = isMissing ? snapshot.unchangedCount : line.members.length;
  const screenshots = countOf(number, "screenshot");
  const toDecide = undecided > 0 ? `${formatCount(undecided)} to decide` : "";
  return {
    name,
    count: toDecide || formatCount(number),
    more: toDecide ? `of ${screenshots}` : screenshots.replace(/^\S+ /u, ""),
  };
}

/** @param {Line} line */
function nameHeading({ section, label }) {
  return section === "" ? label : SECTION_NAMES[section];
}

/**
 * A message may have 100,000 characters; the viewer shows the whole message.
 *
 * @param {string} message
 */
export function shortenMessage(message) {
  const most = 300;
  const text = message.trim() || "No message was given.";
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

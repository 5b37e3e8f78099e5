// Makes the lines of the list from the snapshot and a person's choices.

/** @import { Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { Line, Node } from "./lines.js" */
/** @import { Folds } from "./nodes.js" */
/** @import { Part, SectionName } from "./parts.js" */
/** @import { View } from "./view.js" */

import { filterScreenshots } from "./filters.js";
import { buildFolders } from "./folders.js";
import { flattenNodes } from "./lines.js";
import { buildFailures, buildStories, buildTree, buildUnit } from "./nodes.js";
import { collectParts, SECTIONS, sectionOf, sortByTitle, sortParts } from "./parts.js";
import { countFilters } from "./view.js";

/**
 * @typedef {object} ListState
 * @property {Arrangement} arrangement
 * @property {Folds} folds
 * @property {string} [loading] The text of the line that stands for unchanged screenshots.
 */

/**
 * @param {Snapshot} snapshot
 * @param {View} view
 * @param {ListState} state
 * @returns {Line[]}
 */
export function buildItems(snapshot, view, state) {
  const shown = filterScreenshots(snapshot, view, state.arrangement);
  const sections = splitSections(snapshot, shown, view, state);
  const nodes = SECTIONS.flatMap((name) => {
    const children = sections.get(name) ?? [];
    const section = buildSection(name, children, view, state);
    const isMissing = name === "unchanged" && offersUnchanged(snapshot, view);
    return children.length > 0 || isMissing ? [isMissing ? withLoading(section, state.loading ?? "") : section] : [];
  });
  return flattenNodes(nodes);
}

/**
 * Whether the view may include unchanged screenshots that are not loaded yet.
 *
 * @param {Snapshot} snapshot
 * @param {View} view
 */
export function offersUnchanged(snapshot, view) {
  const isWanted = view.state.length === 0 || view.state.includes("unchanged");
  // Unchanged screenshots have no kind, and none waits for a decision.
  const needsNone = view.decided.length === 0 || view.decided.some((each) => each !== "undecided");
  return !snapshot.hasUnchanged && isWanted && needsNone && view.kind.length === 0;
}

/**
 * @param {Snapshot} snapshot
 * @param {readonly Screenshot[]} shown
 * @param {View} view
 * @param {ListState} state
 * @returns {Map<SectionName, Node[]>}
 */
function splitSections(snapshot, shown, view, state) {
  /** @param {string} name */
  const inState = (name) => shown.filter((each) => each.state === name);
  const reviewed = shown.filter(({ state: of }) => ["changed", "new", "removed"].includes(of));
  /** @type {Map<SectionName, Node[]>} */
  const sections = new Map();
  sections.set("failed", buildFailures(inState("failed")));
  sections.set("pending", buildStories(collectParts(inState("pending"), false), "pending"));
  sections.set("unchanged", buildStories(collectParts(inState("unchanged"), false), "unchanged"));
  if (view.tree) {
    const parts = collectParts(reviewed, false);
    const sorted = view.sort === "largest" ? sortParts(parts, "largest") : sortByTitle(parts);
    sections.set("changed", buildTree(buildFolders(sorted), state.folds));
    return sections;
  }
  const parts = sortParts(collectParts(reviewed, view.sort === "group"), view.sort);
  for (const together of collectUnits(parts)) {
    const name = findSection(snapshot, together, state);
    const nodes = sections.get(name) ?? [];
    nodes.push(...buildUnit(snapshot, together, name, state.folds));
    sections.set(name, nodes);
  }
  return sections;
}

/**
 * @param {Snapshot} snapshot
 * @param {readonly Part[]} together
 * @param {ListState} state
 * @returns {SectionName}
 */
function findSection(snapshot, together, state) {
  const name = sectionOf(
    together.flatMap((part) => part.screenshots),
    state.arrangement,
  );
  const group = snapshot.groups.get(together[0]?.groupId ?? "");
  // Changed, but not alike: these changes are not from the branch.
  return name === "changed" && group && !group.isAlike ? "elsewhere" : name;
}

/**
 * Collect the parts of each group; a part without a group is alone.
 *
 * @param {readonly Part[]} parts
 */
function collectUnits(parts) {
  /** @type {Map<string, Part[]>} */
  const units = new Map();
  for (const part of parts) {
    const key = part.groupId ?? ` ${part.storyId}`;
    const unit = units.get(key);
    if (unit) {
      unit.push(part);
    } else {
      units.set(key, [part]);
    }
  }
  return units.values();
}

/**
 * @param {SectionName} name
 * @param {readonly Node[]} children
 * @param {View} view
 * @param {ListState} state
 * @returns {Node}
 */
function buildSection(name, children, view, state) {
  const key = `section:${name}`;
  const isFolded = name === "unchanged" ? !showsUnchanged(view) : false;
  return {
    key,
    type: "section",
    label: "",
    ids: [],
    children,
    isFolded: state.folds.get(key) ?? isFolded,
    section: name,
  };
}

/**
 * Whether the view needs the unchanged screenshots at once.
 *
 * @param {View} view
 */
export function showsUnchanged(view) {
  // A link to a story is a link to all its variants, and screenshots changed only in regions are
  // unchanged.
  const isNamed = view.state.includes("unchanged") || view.story !== "";
  return view.unchanged || view.regions || isNamed;
}

/**
 * @param {Node} section
 * @param {string} label
 * @returns {Node}
 */
function withLoading(section, label) {
  /** @type {Node} */
  const loading = {
    key: "loading:unchanged",
    type: "loading",
    label,
    ids: [],
    children: [],
    isFolded: null,
  };
  return { ...section, children: [loading] };
}

/**
 * Why the list is empty.
 *
 * @param {Snapshot} snapshot
 * @param {View} view
 * @returns {"filtered" | "processing" | "failed" | "equal"}
 */
export function explainEmpty(snapshot, view) {
  if (countFilters(view) > 0 && snapshot.screenshots.size > 0) {
    return "filtered";
  }
  const { status } = snapshot.build;
  if (status === "failed" || status === "expired") {
    return "failed";
  }
  return status === "completed" ? "equal" : "processing";
}

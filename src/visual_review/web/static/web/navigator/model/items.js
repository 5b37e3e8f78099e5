// The lines of the list, from what is known and what a person chose to see.

/** @import { Item, Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { Folder } from "./folders.js" */
/** @import { Part, SectionName } from "./parts.js" */
/** @import { View } from "./view.js" */

import { filterScreenshots } from "./filters.js";
import { buildFolders } from "./folders.js";
import { collectParts, SECTIONS, sectionOf, sortByTitle, sortParts } from "./parts.js";
import { countFilters } from "./view.js";

/**
 * What a line shows, next to what other parts of the page need of it.
 *
 * @typedef {object} LineFields
 * @property {string} label The name of a section, group or folder; a title; a message.
 * @property {SectionName | ""} section
 * @property {string | null} groupId
 * @property {string} storyId
 * @property {readonly string[]} members All screenshots below it, also while it is folded.
 * @property {boolean | null} isFolded Null where there is nothing to fold.
 * @property {number} position Its place among its siblings, from 1.
 * @property {number} setSize
 */

/** @typedef {Item & LineFields} Line */

/**
 * @typedef {object} Node
 * @property {string} key
 * @property {Item["type"]} type
 * @property {string} label
 * @property {readonly string[]} ids Its own screenshots.
 * @property {readonly Node[]} children
 * @property {boolean | null} isFolded
 * @property {SectionName | ""} [section]
 * @property {string | null} [groupId]
 * @property {string} [storyId]
 */

/**
 * @typedef {object} ListState
 * @property {Arrangement} arrangement
 * @property {ReadonlyMap<string, boolean>} folds What a person folded and unfolded, by key.
 */

/** Groups with more lines than this are folded at first, so that what follows is not far. */
export const MOST_UNFOLDED = 12;

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
    return children.length > 0 || isMissing ? [isMissing ? withLoading(section) : section] : [];
  });
  /** @type {Line[]} */
  const lines = [];
  flatten(nodes, 1, lines);
  return lines;
}

/**
 * Whether unchanged screenshots that are not loaded yet may belong to the view.
 *
 * @param {Snapshot} snapshot
 * @param {View} view
 */
export function offersUnchanged(snapshot, view) {
  const isWanted = view.state.length === 0 || view.state.includes("unchanged");
  return !snapshot.hasUnchanged && isWanted;
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
    sections.set("changed", buildTree(buildFolders(sorted), state));
    return sections;
  }
  const parts = sortParts(collectParts(reviewed, view.sort === "group"), view.sort);
  for (const together of collectUnits(parts)) {
    const name = sectionOf(
      together.flatMap((part) => part.screenshots),
      state.arrangement,
    );
    const nodes = sections.get(name) ?? [];
    nodes.push(...buildUnit(snapshot, together, name, state));
    sections.set(name, nodes);
  }
  return sections;
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
 * @param {Snapshot} snapshot
 * @param {readonly Part[]} parts
 * @param {SectionName} section
 * @param {ListState} state
 * @returns {Node[]}
 */
function buildUnit(snapshot, parts, section, state) {
  const groupId = parts[0]?.groupId ?? null;
  const group = groupId ? snapshot.groups.get(groupId) : undefined;
  const stories = buildStories(parts, section);
  if (!group) {
    return stories;
  }
  const key = `group:${group.id}`;
  return [
    {
      key,
      type: "group",
      label: group.name,
      ids: [],
      children: stories,
      isFolded: state.folds.get(key) ?? stories.length > MOST_UNFOLDED,
      section,
      groupId: group.id,
    },
  ];
}

/**
 * @param {readonly Part[]} parts
 * @param {string} within What makes the key unique: a story may be in several sections.
 * @returns {Node[]}
 */
function buildStories(parts, within) {
  return parts.map((part) => ({
    key: `story:${within}:${part.groupId ?? ""}:${part.storyId}`,
    type: "story",
    label: part.title,
    ids: part.screenshots.map(({ id }) => id),
    children: [],
    isFolded: null,
    groupId: part.groupId,
    storyId: part.storyId,
  }));
}

/**
 * Each message once, with the stories that failed with it.
 *
 * @param {readonly Screenshot[]} failed
 * @returns {Node[]}
 */
function buildFailures(failed) {
  const byMessage = Map.groupBy(failed, ({ message }) => message);
  return [...byMessage].map(([message, screenshots]) => ({
    key: `failure:${message}`,
    type: "failure",
    label: message,
    ids: [],
    children: buildStories(collectParts(screenshots, false), `failed ${message}`),
    isFolded: null,
  }));
}

/**
 * @param {Folder} folder
 * @param {ListState} state
 * @returns {Node[]}
 */
function buildTree(folder, state) {
  const folders = folder.folders.map((each) => {
    const key = `folder:${each.path}`;
    return /** @type {Node} */ ({
      key,
      type: "folder",
      label: each.name,
      ids: [],
      children: buildTree(each, state),
      isFolded: state.folds.get(key) ?? false,
    });
  });
  return [...folders, ...buildStories(folder.parts, "tree")];
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
  return view.unchanged || view.state.includes("unchanged");
}

/**
 * @param {Node} section
 * @returns {Node}
 */
function withLoading(section) {
  /** @type {Node} */
  const loading = {
    key: "loading:unchanged",
    type: "loading",
    label: "",
    ids: [],
    children: [],
    isFolded: null,
  };
  return { ...section, children: [loading] };
}

/**
 * @param {readonly Node[]} nodes
 * @param {number} level
 * @param {Line[]} lines
 */
function flatten(nodes, level, lines) {
  nodes.forEach((node, index) => {
    const members = collectIds(node);
    const isHidden = node.isFolded === true && node.type !== "group";
    lines.push({
      key: node.key,
      type: node.type,
      ids: isHidden ? [] : members,
      level,
      label: node.label,
      section: node.section ?? "",
      groupId: node.groupId ?? null,
      storyId: node.storyId ?? "",
      members,
      isFolded: node.isFolded,
      position: index + 1,
      setSize: nodes.length,
    });
    if (!node.isFolded) {
      flatten(node.children, level + 1, lines);
    }
  });
}

/**
 * @param {Node} node
 * @returns {string[]}
 */
function collectIds(node) {
  return [...node.ids, ...node.children.flatMap(collectIds)];
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

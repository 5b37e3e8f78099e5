// The content of a section: groups, folders, messages of failures, and stories.

/** @import { Group, Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Folder } from "./folders.js" */
/** @import { Node } from "./lines.js" */
/** @import { Part, SectionName } from "./parts.js" */

import { collectParts } from "./parts.js";

/** Groups with more lines than this are folded at first, so that the next group is not far. */
export const MOST_UNFOLDED = 12;
const MOST_REMAINDERS = 20;

/** @typedef {ReadonlyMap<string, boolean>} Folds What a person folded and unfolded, by key. */

/**
 * @param {Snapshot} snapshot
 * @param {readonly Part[]} parts
 * @param {SectionName} section
 * @param {Folds} folds
 * @returns {Node[]}
 */
export function buildUnit(snapshot, parts, section, folds) {
  const groupId = parts[0]?.groupId ?? null;
  const group = groupId ? snapshot.groups.get(groupId) : undefined;
  const stories = buildStories(parts, section);
  if (!group) {
    return stories;
  }
  const key = `group:${group.id}`;
  // Only groups that changed alike are folded at first: other members have nothing in common.
  return [
    {
      key,
      type: "group",
      label: group.name,
      ids: [],
      children: [...stories, ...buildRemainders(snapshot, group)],
      isFolded: folds.get(key) ?? (group.isAlike && stories.length > MOST_UNFOLDED),
      section,
      groupId: group.id,
    },
  ];
}

/**
 * Links to screenshots that have the change of the group and more. Their own lines are elsewhere.
 *
 * @param {Snapshot} snapshot
 * @param {Group} group
 * @returns {Node[]}
 */
function buildRemainders(snapshot, group) {
  return group.remainders.slice(0, MOST_REMAINDERS).flatMap((id) => {
    const screenshot = snapshot.screenshots.get(id);
    return screenshot
      ? [
          {
            key: `remainder:${group.id}:${id}`,
            type: "remainder",
            label: screenshot.title,
            ids: [],
            children: [],
            isFolded: null,
            target: id,
          },
        ]
      : [];
  });
}

/**
 * @param {readonly Part[]} parts
 * @param {string} within Makes the key unique: a story may be in several sections.
 * @returns {Node[]}
 */
export function buildStories(parts, within) {
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
 * Return each message once, with the stories that failed with it.
 *
 * @param {readonly Screenshot[]} failed
 * @returns {Node[]}
 */
export function buildFailures(failed) {
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
 * @param {Folds} folds
 * @returns {Node[]}
 */
export function buildTree(folder, folds) {
  const folders = folder.folders.map((each) => {
    const key = `folder:${each.path}`;
    return /** @type {Node} */ ({
      key,
      type: "folder",
      label: each.name,
      ids: [],
      children: buildTree(each, folds),
      isFolded: folds.get(key) ?? false,
    });
  });
  return [...folders, ...buildStories(folder.parts, "tree")];
}

// Lines of the list: the visible part of a tree of nodes.

/** @import { Item } from "../../review/types.js" */
/** @import { SectionName } from "./parts.js" */

/**
 * What a line shows, and what other parts of the page need of the line.
 *
 * @typedef {object} LineFields
 * @property {string} label The name of a section, group or folder; a title; a message.
 * @property {SectionName | ""} section
 * @property {string | null} groupId
 * @property {string} storyId
 * @property {string} target The screenshot of the link.
 * @property {readonly string[]} members All screenshots below the line, also of a folded line.
 * @property {boolean | null} isFolded Null where there is nothing to fold.
 * @property {number} position The place among the siblings, from 1.
 * @property {number} setSize
 */

/** @typedef {Item & LineFields} Line */

/**
 * @typedef {object} Node
 * @property {string} key
 * @property {Item["type"]} type
 * @property {string} label
 * @property {readonly string[]} ids The node's own screenshots.
 * @property {readonly Node[]} children
 * @property {boolean | null} isFolded
 * @property {SectionName | ""} [section]
 * @property {string | null} [groupId]
 * @property {string} [storyId]
 * @property {string} [target]
 */

/**
 * Return the lines that are not inside a folded node.
 *
 * @param {readonly Node[]} nodes
 * @returns {Line[]}
 */
export function flattenNodes(nodes) {
  /** @type {Line[]} */
  const lines = [];
  flatten(nodes, 1, lines);
  return lines;
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
      target: node.target ?? "",
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

// Read the server's index of a build, and later rows.

/** @import { Build, Decision, Device, DiffState, Group, Reviewer, Screenshot, Snapshot, Theme } from "../../review/types.js" */

import { DECISIONS, DEVICES, STATES, THEMES } from "./names.js";

/**
 * Rows with the tables to which they refer.
 *
 * @typedef {object} RowAnswer
 * @property {[string, string][]} stories
 * @property {string[]} [kinds]
 * @property {string[]} people
 * @property {string[]} messages
 * @property {EncodedRow[]} screenshots
 */

/** @typedef {(string | number)[]} EncodedRow */

/**
 * `unchangedVariants` has a number for each story, with a bit for each variant.
 *
 * @typedef {RowAnswer & {cursor: string, build: Build, me: Reviewer, groups: Group[],
 *   unchangedCount: number, kinds: string[], variants?: string[],
 *   unchangedVariants?: number[]}} IndexAnswer
 */

const INHERITED = 1;
const ONLY_IN_REGIONS = 2;
const MATCHES_FORMER_BASELINE = 4;
const UNSTABLE = 8;
const CARRIED_OVER = 16;
const HAS_COMMENT = 32;
const HAS_NOTES = 64;

/**
 * @param {IndexAnswer} answer
 * @returns {Snapshot}
 */
export function parseIndex(answer) {
  const groups = new Map(answer.groups.map((group) => [group.id, group]));
  const rows = decodeRows(answer, { groups });
  return {
    cursor: answer.cursor,
    build: answer.build,
    me: answer.me,
    groups,
    screenshots: new Map(rows.map((each) => [each.id, each])),
    ...(answer.variants ? { variants: answer.variants } : {}),
    unchangedVariants: new Map(answer.stories.map(([id], at) => [id, answer.unchangedVariants?.[at] ?? 0])),
    unchangedCount: answer.unchangedCount,
    hasUnchanged: answer.unchangedCount === 0,
  };
}

/**
 * Return the snapshot with the unchanged screenshots. Already known screenshots are newer.
 *
 * @param {Snapshot} snapshot
 * @param {RowAnswer} answer
 * @returns {Snapshot}
 */
export function mergeUnchanged(snapshot, answer) {
  const screenshots = new Map(snapshot.screenshots);
  for (const each of decodeRows(answer, snapshot)) {
    if (!screenshots.has(each.id)) {
      screenshots.set(each.id, each);
    }
  }
  return { ...snapshot, screenshots, hasUnchanged: true };
}

/**
 * Decode the rows of an answer. Rows name a group by its place among the groups of the index.
 *
 * @param {RowAnswer} answer
 * @param {Pick<Snapshot, "groups">} snapshot
 * @returns {Screenshot[]}
 */
export function decodeRows(answer, snapshot) {
  const groupIds = [...snapshot.groups.keys()];
  return answer.screenshots.map((row) => decodeRow(row, answer, groupIds));
}

/**
 * @param {EncodedRow} row
 * @param {RowAnswer} tables
 * @param {readonly string[]} groupIds
 * @returns {Screenshot}
 */
function decodeRow(row, tables, groupIds) {
  const [id, story, theme, device, state, decision, group, kind, ...numbers] = row;
  const [severity, ratio, width, height, flags, person, message] = numbers;
  const [storyId, title] = tables.stories[Number(story)] ?? ["", ""];
  return {
    id: String(id),
    storyId,
    title: title || storyId,
    ...decodeVariant(Number(theme), Number(device)),
    state: /** @type {DiffState} */ (STATES[Number(state)] ?? "pending"),
    decision: /** @type {Decision} */ (DECISIONS[Number(decision)] ?? ""),
    groupId: groupIds[Number(group)] ?? null,
    kind: tables.kinds?.[Number(kind)] ?? "",
    severity: Number(severity),
    ratio: Number(ratio),
    width: Number(width),
    height: Number(height),
    ...decodeFlags(Number(flags)),
    decidedBy: tables.people[Number(person)] ?? "",
    message: tables.messages[Number(message)] ?? "",
  };
}

/**
 * @param {number} theme
 * @param {number} device
 * @returns {{theme: Theme, device: Device}}
 */
function decodeVariant(theme, device) {
  return { theme: THEMES[theme] ?? "light", device: DEVICES[device] ?? "desktop" };
}

/** @param {number} flags */
function decodeFlags(flags) {
  return {
    inherited: (flags & INHERITED) !== 0,
    onlyInRegions: (flags & ONLY_IN_REGIONS) !== 0,
    matchesFormerBaseline: (flags & MATCHES_FORMER_BASELINE) !== 0,
    unstable: (flags & UNSTABLE) !== 0,
    carriedOver: (flags & CARRIED_OVER) !== 0,
    hasComment: (flags & HAS_COMMENT) !== 0,
    hasNotes: (flags & HAS_NOTES) !== 0,
  };
}

// Answers of the server, as small as a test needs or with 12,000 screenshots.

import { parseIndex } from "../../../src/visual_review/web/static/web/navigator/model/snapshot.js";

export const KINDS = ["text", "color", "pixels"];
const TITLES = ["Components/Button/Primary", "Components/Card/Plain", "صفحات/قائمة", "Größe/Übersicht"];

const CHANGED = {
  story: 0,
  theme: 0,
  device: 0,
  state: 0,
  decision: 0,
  group: -1,
  kind: 0,
  ratio: 0.01,
  flags: 0,
  message: -1,
};

/** @typedef {import("../../../src/visual_review/web/static/web/navigator/model/snapshot.js").IndexAnswer} IndexAnswer */
/** @typedef {import("../../../src/visual_review/web/static/web/review/types.js").Group} Group */

/**
 * A row of the index; its story is "Story <number>" of the table.
 *
 * @typedef {object} RowFields
 * @property {number} [story]
 * @property {number} [theme]
 * @property {number} [device]
 * @property {number} [state]
 * @property {number} [decision]
 * @property {number} [group]
 * @property {number} [kind]
 * @property {number} [ratio]
 * @property {number} [flags]
 * @property {number} [message]
 */

/**
 * @param {string} id
 * @param {RowFields} [fields]
 */
export function encodeRow(id, fields = {}) {
  const row = { ...CHANGED, ...fields };
  const head = [id, row.story, row.theme, row.device, row.state, row.decision, row.group, row.kind];
  const person = row.decision === 0 ? -1 : 0;
  return [...head, 0.5, row.ratio, 1440, 900, row.flags, person, row.message];
}

/**
 * @param {Partial<Group> & {id: string}} fields
 * @returns {Group}
 */
export function createGroup(fields) {
  return {
    name: "same change in 2 stories: text changed",
    kind: "text",
    revision: "r1",
    count: 2,
    remainders: [],
    position: 0,
    isAlike: true,
    ...fields,
  };
}

/**
 * @param {(string | number)[][]} rows
 * @param {Partial<IndexAnswer>} [fields]
 * @returns {IndexAnswer}
 */
export function createAnswer(rows, fields = {}) {
  const stories = Math.max(...rows.map((row) => Number(row[1])), 0) + 1;
  return {
    cursor: "1-0-a",
    build: {
      id: "build_1",
      number: 12,
      status: "completed",
      failure: "",
      reviewState: "unreviewed",
      repositoryId: "repo_1",
      decidedBy: "",
      decidedAt: null,
      decisionSource: "",
      counts: { changed: rows.length, new: 0, removed: 0, failed: 0, inherited: 0, unchanged: 0, pending: 0 },
      baseline: null,
      ownBranch: "main",
      isPartial: false,
      supersededBy: null,
      url: "/builds/build_1",
      historyUrl: null,
      decidable: true,
      threadRevision: 0,
    },
    me: { id: "user_1", name: "Bob", mayReview: true },
    stories: Array.from({ length: stories }, (_, number) => [`story--${number}`, storyTitle(number)]),
    kinds: KINDS,
    people: ["Alice"],
    messages: ["TypeError: x is not a function"],
    groups: [],
    unchangedCount: 0,
    screenshots: rows,
    ...fields,
  };
}

/** @param {number} number */
export function storyTitle(number) {
  return number < TITLES.length ? (TITLES[number] ?? "") : `Pages/Area ${number % 40}/Story ${number}`;
}

/**
 * @param {(string | number)[][]} rows
 * @param {Partial<IndexAnswer>} [fields]
 */
export function createSnapshot(rows, fields = {}) {
  return parseIndex(createAnswer(rows, fields));
}

/** Rows of so many stories with six variants each. @param {number} stories */
export function encodeMany(stories) {
  return Array.from({ length: stories * 6 }, (_, number) =>
    encodeRow(`shot_${number}`, {
      story: Math.floor(number / 6),
      theme: number % 2,
      device: Math.floor((number % 6) / 2),
      state: number % 7 === 0 ? 1 : 0,
      kind: number % KINDS.length,
      ratio: (number % 100) / 100,
    }),
  );
}

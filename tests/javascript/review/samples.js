// A build for tests: what a test does not name is usual.

/** @import { ApprovalPreview, Build, Group, Screenshot, Snapshot } from "../../../src/visual_review/web/static/web/review/types.js" */

/**
 * @param {string} id
 * @param {Partial<Screenshot>} [fields]
 * @returns {Screenshot}
 */
export function screenshot(id, fields = {}) {
  return {
    id,
    storyId: `${id}--story`,
    title: `Components/${id}`,
    theme: "dark",
    device: "phone",
    state: "changed",
    decision: "",
    groupId: null,
    kind: "text",
    severity: 0.5,
    ratio: 0.1,
    width: 390,
    height: 844,
    inherited: false,
    onlyInRegions: false,
    matchesFormerBaseline: false,
    unstable: false,
    carriedOver: false,
    hasComment: false,
    hasNotes: false,
    decidedBy: "",
    message: "",
    ...fields,
  };
}

/**
 * @param {Partial<Build>} [fields]
 * @returns {Build}
 */
export function build(fields = {}) {
  return {
    id: "build_1",
    number: 12,
    status: "completed",
    failure: "",
    reviewState: "unreviewed",
    repositoryId: "repo_1",
    decidedBy: "",
    decidedAt: null,
    decisionSource: "",
    counts: { changed: 0, new: 0, removed: 0, failed: 0, unchanged: 0, inherited: 0, pending: 0 },
    baseline: null,
    ownBranch: "main",
    isPartial: false,
    supersededBy: null,
    url: "/builds/build_1",
    historyUrl: null,
    decidable: true,
    threadRevision: 0,
    ...fields,
  };
}

/**
 * @param {readonly Screenshot[]} screenshots
 * @param {Partial<Snapshot>} [fields]
 * @returns {Snapshot}
 */
export function snapshot(screenshots, fields = {}) {
  return {
    cursor: "1",
    build: build(),
    me: { id: "user_1", name: "Alice", mayReview: true },
    groups: new Map(),
    screenshots: new Map(screenshots.map((each) => [each.id, each])),
    unchangedCount: 0,
    hasUnchanged: true,
    ...fields,
  };
}

/**
 * @param {string} id
 * @returns {Group}
 */
export function group(id) {
  return { id, name: `Change of ${id}`, kind: "text", revision: `revision of ${id}`, count: 2, remainders: [], position: 0, isAlike: true };
}

/**
 * @param {Partial<ApprovalPreview>} [fields]
 * @returns {ApprovalPreview}
 */
export function preview(fields = {}) {
  return {
    undecided: 0,
    changed: 0,
    new: 0,
    removed: 0,
    removalsOpen: 0,
    failures: 0,
    rejections: [],
    version: 12,
    branch: "main",
    rollsBack: false,
    replacesBuild: null,
    alreadyApproved: false,
    ...fields,
  };
}

// What a page without scripts of its own says in attributes.

/** @import { ImageSource, ViewerInput } from "./types.js" */

/** Attributes that describe the screenshot; a change of one shows another screenshot. */
export const INPUT_ATTRIBUTES = [
  "label",
  "state",
  "before",
  "before-size",
  "after",
  "after-size",
  "diff",
  "diff-size",
];

/**
 * @param {(name: string) => string | null} read
 * @returns {ViewerInput | null}
 */
export function inputFromAttributes(read) {
  const [before, after, diff] = ["before", "after", "diff"].map((side) =>
    sourceOf(read(side), read(`${side}-size`)),
  );
  if (!before && !after) {
    return null;
  }
  return {
    id: [before?.url, after?.url].join(" "),
    label: read("label") ?? "Screenshot",
    state: read("state") ?? stateOf(before, after),
    before: before ?? null,
    after: after ?? null,
    diff: diff ?? null,
    changes: [],
    boxes: [],
    regions: [],
  };
}

/**
 * @param {ImageSource | null | undefined} before
 * @param {ImageSource | null | undefined} after
 */
function stateOf(before, after) {
  if (before && after) {
    return "changed";
  }
  return before ? "removed" : "new";
}

/**
 * Read a size such as "1440x900".
 *
 * @param {string | null} url
 * @param {string | null} size
 * @returns {ImageSource | null}
 */
function sourceOf(url, size) {
  if (!url) {
    return null;
  }
  const found = /^\s*(\d+)\s*[x×]\s*(\d+)\s*$/.exec(size ?? "");
  return { url, width: Number(found?.[1] ?? 0), height: Number(found?.[2] ?? 0) };
}

/**
 * Whether the sizes of all images are known before loading.
 *
 * @param {ViewerInput} input
 */
export function areSizesKnown(input) {
  return [input.before, input.after, input.diff].every((source) => !source || source.width > 0);
}

/**
 * Return the input with the sizes that its loaded images turned out to have.
 *
 * @param {ViewerInput} input
 * @param {(source: ImageSource) => {width: number, height: number} | null} measure
 * @returns {ViewerInput}
 */
export function withMeasuredSizes(input, measure) {
  /** @param {ImageSource | null} source */
  function measured(source) {
    const size = source && source.width === 0 ? measure(source) : null;
    return source && size ? { ...source, width: size.width, height: size.height } : source;
  }
  return {
    ...input,
    before: measured(input.before),
    after: measured(input.after),
    diff: measured(input.diff),
  };
}

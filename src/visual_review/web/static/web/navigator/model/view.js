// A person's choices for the list: one small object, and the parameters in the URL.

import { DECISION_NAMES, DEVICES, STATES, THEMES } from "./names.js";

/** @typedef {"group" | "largest" | "story"} Sort */

/**
 * Empty lists and texts limit nothing.
 *
 * @typedef {object} View
 * @property {readonly string[]} state
 * @property {readonly string[]} theme
 * @property {readonly string[]} device
 * @property {readonly string[]} kind
 * @property {readonly string[]} decided Names of decisions.
 * @property {boolean} unstable
 * @property {boolean} notes Only screenshots with notes of the capture.
 * @property {boolean} regions Only screenshots changed in dynamic regions alone.
 * @property {string} story The id of the only story.
 * @property {string} q Words to search for.
 * @property {Sort} sort
 * @property {boolean} tree
 * @property {boolean} unchanged Whether the section of unchanged screenshots is unfolded.
 */

/** @type {Readonly<View>} */
export const DEFAULT_VIEW = Object.freeze({
  state: [],
  theme: [],
  device: [],
  kind: [],
  decided: [],
  unstable: false,
  notes: false,
  regions: false,
  story: "",
  q: "",
  sort: "group",
  tree: false,
  unchanged: false,
});

/** @type {readonly Sort[]} */
export const SORTS = ["group", "largest", "story"];

/** The facets with several values, and the facets with the values on and off. */
export const LISTS = /** @type {const} */ (["state", "theme", "device", "kind", "decided"]);
export const SWITCHES = /** @type {const} */ (["unstable", "notes", "regions"]);
const FLAGS = /** @type {const} */ (["unstable", "notes", "regions", "tree", "unchanged"]);
const TEXTS = /** @type {const} */ (["story", "q"]);

/** @typedef {typeof LISTS[number]} ListFacet */
/** @typedef {typeof SWITCHES[number]} SwitchFacet */

/**
 * Values of the facets whose values are known beforehand.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const KNOWN = {
  state: STATES,
  theme: THEMES,
  device: DEVICES,
  decided: Object.keys(DECISION_NAMES),
};

const MOST_CHARACTERS = 500;

/**
 * @param {View} view
 * @returns {[string, string][]}
 */
export function viewToParameters(view) {
  /** @type {[string, string][]} */
  const found = [];
  for (const name of LISTS) {
    if (view[name].length > 0) {
      found.push([name, view[name].join(",")]);
    }
  }
  for (const name of TEXTS) {
    if (view[name]) {
      found.push([name, view[name]]);
    }
  }
  for (const name of FLAGS) {
    if (view[name]) {
      found.push([name, "1"]);
    }
  }
  if (view.sort !== DEFAULT_VIEW.sort) {
    found.push(["sort", view.sort]);
  }
  return found;
}

/**
 * Read the view from a URL. Unknown values are left out: they would show an empty list.
 *
 * @param {URLSearchParams} parameters
 * @returns {View}
 */
export function viewFromParameters(parameters) {
  const sort = SORTS.find((each) => each === parameters.get("sort"));
  return Object.freeze({
    ...readOldLink(parameters.get("show") ?? ""),
    ...Object.fromEntries(
      LISTS.filter((name) => parameters.has(name)).map((name) => [name, readList(parameters, name)]),
    ),
    ...Object.fromEntries(
      FLAGS.filter((name) => parameters.has(name)).map((name) => [name, parameters.get(name) === "1"]),
    ),
    story: readText(parameters, "story"),
    q: readText(parameters, "q"),
    sort: sort ?? DEFAULT_VIEW.sort,
  });
}

/**
 * Return the screenshot that a link of a posted comment names, or nothing.
 *
 * @param {string} hash
 */
export function screenshotFromHash(hash) {
  return /^#(shot_\w+)$/u.exec(hash)?.[1] ?? "";
}

/**
 * How many things limit the list.
 *
 * @param {View} view
 */
export function countFilters(view) {
  const values = LISTS.reduce((sum, name) => sum + view[name].length, 0);
  const switches = SWITCHES.filter((name) => view[name]).length;
  return values + switches + (view.story ? 1 : 0) + (view.q.trim() ? 1 : 0);
}

/**
 * Return the view without filters; order and folds stay.
 *
 * @param {View} view
 * @returns {View}
 */
export function withoutFilters(view) {
  const { sort, tree, unchanged } = view;
  return Object.freeze({ ...DEFAULT_VIEW, sort, tree, unchanged });
}

/**
 * @param {View} view
 * @param {ListFacet} name
 * @param {string} value
 * @returns {View}
 */
export function toggleValue(view, name, value) {
  const chosen = view[name];
  const values = chosen.includes(value)
    ? chosen.filter((each) => each !== value)
    : [...chosen, value];
  return Object.freeze({ ...view, [name]: values });
}

/**
 * @param {URLSearchParams} parameters
 * @param {ListFacet} name
 */
function readList(parameters, name) {
  const known = KNOWN[name];
  const values = new Set((parameters.get(name) ?? "").split(","));
  return [...values].filter((each) => (known ? known.includes(each) : /^[a-z]{1,20}$/u.test(each)));
}

/**
 * @param {URLSearchParams} parameters
 * @param {string} name
 */
function readText(parameters, name) {
  return (parameters.get(name) ?? "").slice(0, MOST_CHARACTERS);
}

/**
 * Links of earlier versions are in posted comments.
 *
 * @param {string} show
 * @returns {View}
 */
function readOldLink(show) {
  if (show === "open") {
    return { ...DEFAULT_VIEW, decided: ["undecided"] };
  }
  if (show === "unchanged") {
    return { ...DEFAULT_VIEW, state: ["unchanged"], unchanged: true };
  }
  return { ...DEFAULT_VIEW, unchanged: show === "all" };
}

// The choices in the panel of filters, and the chips of chosen values.

/** @import { FacetCounts } from "./filters.js" */
/** @import { ListFacet, SwitchFacet, View } from "./view.js" */

import { DECISION_NAMES, DEVICES, STATE_NAMES, STATES, THEMES, capitalize } from "./names.js";
import { LISTS, SWITCHES, toggleValue } from "./view.js";

/** @typedef {{value: string, name: string, count: number, isChosen: boolean}} Choice */
/** @typedef {{facet: ListFacet, name: string, choices: Choice[]}} ChoiceList */
/** @typedef {{name: string, without: View}} Chip */

const FACET_NAMES = {
  state: "State",
  decided: "Decision",
  kind: "Kind of change",
  theme: "Theme",
  device: "Device",
};

/** @type {Readonly<Record<SwitchFacet, string>>} */
export const SWITCH_NAMES = {
  unstable: "Unstable",
  notes: "With notes of the capture",
  regions: "Only in dynamic regions",
};

/** @type {readonly ListFacet[]} */
const SHOWN = ["state", "decided", "kind", "theme", "device"];

/**
 * @param {View} view
 * @param {FacetCounts} counts
 * @returns {ChoiceList[]}
 */
export function listChoices(view, counts) {
  return SHOWN.map((facet) => ({
    facet,
    name: FACET_NAMES[facet],
    choices: listValues(facet, view, counts).map((value) => ({
      value,
      name: nameValue(value),
      count: counts[facet].get(value) ?? 0,
      isChosen: view[facet].includes(value),
    })),
  }));
}

/**
 * @param {View} view
 * @returns {Chip[]}
 */
export function listChips(view) {
  /** @type {Chip[]} */
  const chips = LISTS.flatMap((facet) =>
    view[facet].map((value) => ({
      name: nameValue(value),
      without: toggleValue(view, facet, value),
    })),
  );
  for (const facet of SWITCHES) {
    if (view[facet]) {
      chips.push({ name: SWITCH_NAMES[facet], without: { ...view, [facet]: false } });
    }
  }
  if (view.story) {
    chips.push({ name: `Story ${view.story}`, without: { ...view, story: "" } });
  }
  return chips;
}

/**
 * @param {ListFacet} facet
 * @param {View} view
 * @param {FacetCounts} counts
 * @returns {string[]}
 */
function listValues(facet, view, counts) {
  switch (facet) {
    case "state":
      return [...STATES];
    case "theme":
      return [...THEMES];
    case "device":
      return [...DEVICES];
    case "decided":
      return Object.keys(DECISION_NAMES);
    default:
      // Only existing kinds: there are many, and a build has few.
      return [...new Set([...counts.kind.keys(), ...view.kind])].filter(Boolean).sort();
  }
}

/** @param {string} value */
function nameValue(value) {
  /** @type {Readonly<Record<string, string>>} */
  const names = { ...STATE_NAMES, ...DECISION_NAMES };
  return names[value] ?? capitalize(value);
}

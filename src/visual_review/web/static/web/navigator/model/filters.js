// The screenshots of a view, and the numbers of screenshots for each further choice.

/** @import { Screenshot, Snapshot } from "../../review/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { ListFacet, SwitchFacet, View } from "./view.js" */

import { nameDecision } from "./names.js";
import { FoldedTexts, splitQuery } from "./search.js";
import { LISTS, SWITCHES } from "./view.js";

/** @typedef {ListFacet | SwitchFacet} Facet */

/**
 * Counts by facet and value; a switch has the value "1".
 *
 * @typedef {Record<Facet, Map<string, number>>} FacetCounts
 */

/**
 * Return the screenshots of the view, in the order of the snapshot.
 *
 * A decision counts as it was when the list was arranged, so that deciding removes nothing.
 *
 * @param {Snapshot} snapshot
 * @param {View} view
 * @param {Arrangement} arrangement
 * @returns {Screenshot[]}
 */
export function filterScreenshots(snapshot, view, arrangement) {
  const matchesText = searchIn(snapshot, view);
  const wanted = collectWanted(view);
  return [...snapshot.screenshots.values()].filter(
    (each) =>
      matchesText(each) &&
      wanted.every(([facet, values]) => values.has(placedValue(each, facet, arrangement))),
  );
}

/**
 * Count for each facet how many screenshots its values would show, with the other filters as set.
 *
 * @param {Snapshot} snapshot
 * @param {View} view
 * @param {Arrangement} arrangement
 * @returns {FacetCounts}
 */
export function countFacets(snapshot, view, arrangement) {
  const counts = /** @type {FacetCounts} */ (
    Object.fromEntries([...LISTS, ...SWITCHES].map((facet) => [facet, new Map()]))
  );
  const matchesText = searchIn(snapshot, view);
  const wanted = collectWanted(view);
  for (const each of snapshot.screenshots.values()) {
    if (matchesText(each)) {
      const missed = wanted.filter(
        ([facet, values]) => !values.has(placedValue(each, facet, arrangement)),
      );
      countIn(counts, each, missed.map(([facet]) => facet));
    }
  }
  return counts;
}

/**
 * @param {FacetCounts} counts
 * @param {Screenshot} screenshot
 * @param {readonly Facet[]} missed The facets that exclude the screenshot.
 */
function countIn(counts, screenshot, missed) {
  const [first] = missed;
  if (missed.length > 1) {
    return;
  }
  const facets = first ? [first] : [...LISTS, ...SWITCHES];
  for (const facet of facets) {
    // Current decisions count: people watch this number go down.
    const value = valueOf(screenshot, facet);
    const known = counts[facet];
    known.set(value, (known.get(value) ?? 0) + 1);
  }
}

/**
 * @param {View} view
 * @returns {[Facet, ReadonlySet<string>][]}
 */
function collectWanted(view) {
  /** @type {[Facet, ReadonlySet<string>][]} */
  const lists = LISTS.filter((facet) => view[facet].length > 0).map((facet) => [
    facet,
    new Set(view[facet]),
  ]);
  /** @type {[Facet, ReadonlySet<string>][]} */
  const switches = SWITCHES.filter((facet) => view[facet]).map((facet) => [facet, new Set(["1"])]);
  return [...lists, ...switches];
}

/**
 * @param {Screenshot} screenshot
 * @param {Facet} facet
 * @param {Arrangement} arrangement
 */
function placedValue(screenshot, facet, arrangement) {
  if (facet === "decided") {
    const placed = arrangement.get(screenshot.id)?.decision ?? screenshot.decision;
    return isDecidable(screenshot) ? nameDecision(placed) : "";
  }
  return valueOf(screenshot, facet);
}

/**
 * @param {Screenshot} screenshot
 * @param {Facet} facet
 */
function valueOf(screenshot, facet) {
  switch (facet) {
    case "decided":
      return isDecidable(screenshot) ? nameDecision(screenshot.decision) : "";
    case "unstable":
      return screenshot.unstable ? "1" : "";
    case "notes":
      return screenshot.hasNotes ? "1" : "";
    case "regions":
      return screenshot.onlyInRegions ? "1" : "";
    default:
      return screenshot[facet];
  }
}

/**
 * Failed and pending ones take no decision, and unchanged ones need none.
 *
 * @param {Screenshot} screenshot
 */
function isDecidable({ state, decision }) {
  return ["changed", "new", "removed"].includes(state) || decision !== "";
}

/**
 * @param {Snapshot} snapshot
 * @param {View} view
 * @returns {(screenshot: Screenshot) => boolean}
 */
function searchIn(snapshot, view) {
  const words = splitQuery(view.q);
  const texts = new FoldedTexts();
  return (screenshot) => {
    if (view.story && screenshot.storyId !== view.story) {
      return false;
    }
    if (words.length === 0) {
      return true;
    }
    const group = screenshot.groupId ? snapshot.groups.get(screenshot.groupId) : undefined;
    const where = [screenshot.storyId, screenshot.title, group?.name ?? "", screenshot.kind];
    return words.every((word) => where.some((text) => texts.fold(text).includes(word)));
  };
}

// All facts about a screenshot, in a list of names and values.

import { countOf, formatShare } from "../navigator/model/names.js";
import { createTime } from "../times.js";
import { element, isolated } from "./dom.js";
import { historyUrl } from "./page_url.js";
import { describeDecider, describeFlakiness } from "./sentences.js";

/** @import { Child } from "./dom.js" */
/** @import { Details, Screenshot } from "./types.js" */

/**
 * @param {Details} details
 * @param {Screenshot | undefined} screenshot
 */
export function describeFacts(details, screenshot) {
  const list = element("dl", { class: "facts" });
  for (const [name, ...value] of [...describeChange(details, screenshot), ...describeReview(details, screenshot)]) {
    list.append(element("dt", {}, name), element("dd", {}, ...value));
  }
  return list;
}

/** @typedef {[string, ...Child[]]} Fact */

/**
 * @param {Details} details
 * @param {Screenshot | undefined} screenshot
 * @returns {Fact[]}
 */
function describeChange(details, screenshot) {
  /** @type {Fact[]} */
  const facts = [];
  const share = formatShare(screenshot?.ratio ?? 0);
  const aligned = formatShare(details.alignedRatio);
  if (details.message) {
    facts.push(["Message", element("pre", { class: "stage__text", dir: "auto" }, details.message)]);
  }
  if (share) {
    const rest = aligned && aligned !== share ? `, ${aligned} without what only moved` : "";
    facts.push(["Differs", `${share} of the pixels${rest}`]);
  }
  if (details.faintPixels > 0) {
    facts.push(["Faint", `${countOf(details.faintPixels, "pixel")} below the threshold`]);
  }
  if (details.unstable) {
    facts.push(["Unstable", details.unstable]);
  }
  for (const note of details.notes) {
    facts.push(["Note", element("span", { dir: "auto" }, note)]);
  }
  if (details.flakiness) {
    facts.push(["Flakiness", describeFlakiness(details.flakiness)]);
  }
  return [...facts, ...describeRegions(details), ...describeFlags(screenshot), ...describeSizes(details)];
}

/**
 * @param {Details} details
 * @returns {Fact[]}
 */
function describeRegions({ regions }) {
  const ignored = regions.filter(({ fromStory }) => fromStory).length;
  return ignored > 0 ? [["Ignored", `${countOf(ignored, "region")} that the story marks as ignored`]] : [];
}

/**
 * @param {Screenshot | undefined} screenshot
 * @returns {Fact[]}
 */
function describeFlags(screenshot) {
  /** @type {[boolean | undefined, Fact][]} */
  const flags = [
    [screenshot?.onlyInRegions, ["Regions", "All differences lie in regions that are ignored."]],
    [screenshot?.matchesFormerBaseline, ["History", "This image was the baseline before."]],
    [screenshot?.inherited, ["Inherited", "Not captured in this partial build; taken from the baseline."]],
  ];
  return flags.filter(([isSet]) => isSet).map(([, fact]) => fact);
}

/**
 * @param {Details} details
 * @returns {Fact[]}
 */
function describeSizes({ images: { before, after } }) {
  const sizes = [before, after].flatMap((image) => (image ? [`${image.width} × ${image.height}`] : []));
  return sizes.length > 0 ? [["Size", [...new Set(sizes)].join(" → ")]] : [];
}

/**
 * @param {Details} details
 * @param {Screenshot} screenshot
 * @returns {Child[]}
 */
function describeWho({ evidence, decidedClient }, { decision, decidedBy, carriedOver }) {
  // A decision made on this page meanwhile is newer than the details.
  if (evidence?.listed !== decidedBy) {
    const client = decidedClient ? ` through a client that calls itself ${decidedClient}` : "";
    return [isolated(describeDecider(decision, decidedBy, carriedOver) + client)];
  }
  const through = evidence.program ? ` through a client that calls itself ${evidence.program}` : "";
  const who = isolated(describeDecider(decision, evidence.by, carriedOver) + through);
  if (evidence.is_marked) {
    return [who, " ", element("span", { class: "badge badge--warn badge--long" }, evidence.images)];
  }
  return [who, evidence.images ? `; ${evidence.images}` : ""];
}

/**
 * @param {Details} details
 * @param {Screenshot | undefined} screenshot
 * @returns {Fact[]}
 */
function describeReview(details, screenshot) {
  /** @type {Fact[]} */
  const facts = [];
  if (screenshot?.decision) {
    const when = details.decidedAt ? [", ", createTime(details.decidedAt)] : [];
    facts.push(["Decision", ...describeWho(details, screenshot), ...when]);
  }
  if (details.comment) {
    facts.push(["Comment", element("blockquote", { class: "stage__text", dir: "auto" }, details.comment)]);
  }
  if (details.carriedFrom) {
    facts.push(["Carried over", element("a", { href: details.carriedFrom }, `From ${details.carriedFromName}`)]);
  } else if (screenshot?.carriedOver) {
    facts.push(["Carried over", "From an earlier build, which was deleted"]);
  }
  if (screenshot) {
    facts.push(["Story", element("a", { href: historyUrl(screenshot.id) }, "All versions and builds")]);
  }
  if (details.earlierDecisions > 0) {
    facts.push(["Earlier", `${countOf(details.earlierDecisions, "decision")} in the review log`]);
  }
  return facts;
}

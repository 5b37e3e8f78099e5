"use strict";

/** @typedef {"severity" | "name" | "group"} Order */
// Images shown together in the list, under a heading if the block is a group.
/** @typedef {{group: Group | null, entries: Entry[]}} Block */

const STATE_ORDER = ["failed", "changed", "new", "removed", "unchanged"];

/**
 * Return the numbers for a comparison; the first different number decides.
 * @param {Entry} entry
 */
function rankOf(entry) {
  return [STATE_ORDER.indexOf(entry.diffState), -(entry.severity ?? 0)];
}

/**
 * @param {number[]} one
 * @param {number[]} other
 */
function compareRanks(one, other) {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

/**
 * Return the images in an order, with equal changes together unless ordered by name.
 * @param {Entry[]} images sorted by name
 * @param {Group[]} groups the rarest first
 * @param {Order} order
 * @returns {Block[]}
 */
function arrange(images, groups, order) {
  if (order === "name") {
    return images.map((entry) => ({ group: null, entries: [entry] }));
  }
  const blocks = makeBlocks(images, groups);
  const ranks = new Map(blocks.map((block) => [block, rankOf(block.entries[0])]));
  /** @param {Block} block */
  const keyOf = (block) => [
    ...(order === "group" ? [rankOf(block.entries[0])[0], block.entries.length] : []),
    ...(ranks.get(block) ?? []),
  ];
  return blocks.sort((one, other) => compareRanks(keyOf(one), keyOf(other)));
}

/**
 * @param {Entry[]} images
 * @param {Group[]} groups
 * @returns {Block[]}
 */
function makeBlocks(images, groups) {
  const byName = new Map(images.map((entry) => [entry.name, entry]));
  /** @type {Block[]} */
  const blocks = [];
  for (const group of groups.filter((each) => each.images.length > 1)) {
    const entries = group.images.flatMap((name) => byName.get(name) ?? []);
    entries.sort((one, other) => compareRanks(rankOf(one), rankOf(other)));
    entries.forEach((entry) => byName.delete(entry.name));
    blocks.push({ group, entries });
  }
  for (const entry of byName.values()) {
    blocks.push({ group: null, entries: [entry] });
  }
  return blocks;
}

/**
 * Return the kinds of the changed images with their counts, the most frequent first.
 * @param {Entry[]} images
 */
function countKinds(images) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { kind, diffState } of images) {
    if (kind && diffState === "changed") {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  return [...counts].sort((one, other) => other[1] - one[1]);
}

/** @param {Group} group */
function describeGroup(group) {
  const others = group.remainders.length;
  const more = others ? `, ${others} with more changes` : "";
  return `${group.images.length} alike${more}`;
}

/** @typedef {{item: HTMLLIElement, isOpen: () => boolean, toggle: () => void}} GroupItem */

/**
 * Return a heading with a button for showing or hiding the images.
 * @param {Group} group
 * @param {HTMLLIElement[]} images
 * @param {() => void} onToggle
 * @returns {GroupItem}
 */
function makeGroupItem(group, images, onToggle) {
  const button = element(
    "button",
    { type: "button", class: "heading", "aria-expanded": "true" },
    element("bdi", { class: "file" }, group.name),
    element("span", { class: "state changed" }, describeGroup(group)),
  );
  const members = element("ul", {}, ...images);
  const toggle = () => {
    members.hidden = !members.hidden;
    button.setAttribute("aria-expanded", String(!members.hidden));
    onToggle();
  };
  button.addEventListener("click", toggle);
  const item = element("li", { class: "group" }, button, members);
  return { item, toggle, isOpen: () => !members.hidden };
}

/**
 * Return the common change of an image and others, in words.
 * @param {Entry} entry
 * @param {Group[]} groups
 */
function describeRelation(entry, groups) {
  const own = groups.find((group) => group.images.includes(entry.name));
  const wider = groups.find((group) => group.remainders.includes(entry.name));
  if (own && own.images.length > 1) {
    return `One of ${own.images.length} that changed alike: ${own.name}.`;
  }
  return wider ? `Changed like ${wider.images.length} others, and more besides: ${wider.name}.` : "";
}

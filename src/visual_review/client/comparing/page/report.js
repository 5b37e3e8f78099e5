"use strict";

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @type {{counts: Record<string, number>, images: Entry[], groups: Group[]}} */
const report = JSON.parse(byId("document").textContent ?? "{}");
const search = /** @type {HTMLInputElement} */ (byId("search"));
const order = /** @type {HTMLSelectElement} */ (byId("order"));
const help = /** @type {HTMLDialogElement} */ (byId("help"));
const PLAIN_KEY_TARGETS = "input[type=search], textarea, select, [contenteditable]";

/** @type {Map<Entry, HTMLLIElement>} */
const items = new Map();
// The headings of the list with their images.
/** @type {Map<Group, GroupItem>} */
const headings = new Map();
/** @type {Block[]} */
let blocks = [];
/** @type {Entry[]} */
let listed = [];
/** @type {Entry | null} */
let current = null;

/** @param {Entry} entry */
function makeItem(entry) {
  const slash = entry.name.lastIndexOf("/") + 1;
  const link = element(
    "a",
    { href: `#${encodeURIComponent(toWellFormed(entry.name))}` },
    element("bdi", { class: "file" }, entry.name.slice(slash)),
    element("span", { class: `state ${entry.diffState}` }, entry.diffState),
  );
  if (entry.summary) {
    link.append(element("span", { class: "sentence" }, entry.summary));
  }
  if (slash) {
    link.append(element("bdi", { class: "path" }, entry.name.slice(0, slash - 1)));
  }
  link.addEventListener("click", (event) => {
    event.preventDefault();
    show(entry);
  });
  return element("li", {}, link);
}

// encodeURIComponent throws for halves of characters, and names of files may contain halves.
/** @param {string} text */
function toWellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function buildFilters() {
  for (const [state, count] of Object.entries(report.counts)) {
    byId("states").append(makeChip("state", state, count));
  }
  const kinds = countKinds(report.images);
  byId("kinds").append(...kinds.map(([kind, count]) => makeChip("kind", kind, count)));
  byId("kind-filter").hidden = kinds.length < 2;
}

/**
 * @param {"state" | "kind"} name
 * @param {string} value
 * @param {number} count
 */
function makeChip(name, value, count) {
  const box = element("input", { type: "checkbox", name, value });
  box.checked = value !== "unchanged";
  box.disabled = count === 0;
  box.addEventListener("change", filter);
  const text = element("span", { class: `${name} ${value}` }, value);
  return element("label", {}, box, text, ` ${count.toLocaleString("en")}`);
}

/** @param {string} name */
function readChips(name) {
  const boxes = document.querySelectorAll(`#filters input[name=${name}]:checked`);
  return new Set([...boxes].map((box) => /** @type {HTMLInputElement} */ (box).value));
}

function buildList() {
  blocks = arrange(report.images, report.groups, /** @type {Order} */ (order.value));
  headings.clear();
  const shown = blocks.flatMap(({ group, entries }) => {
    const members = entries.map((entry) => /** @type {HTMLLIElement} */ (items.get(entry)));
    if (group === null) {
      return members;
    }
    const heading = makeGroupItem(group, members, filter);
    headings.set(group, heading);
    return [heading.item];
  });
  byId("list").replaceChildren(...shown);
  filter();
}

function filter() {
  const [states, kinds] = [readChips("state"), readChips("kind")];
  const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
  /** @param {Entry} entry */
  const matches = (entry) => {
    const name = entry.name.toLowerCase();
    const isKind = entry.diffState !== "changed" || !entry.kind || kinds.has(entry.kind);
    return states.has(entry.diffState) && isKind && words.every((word) => name.includes(word));
  };
  const found = new Set(report.images.filter(matches));
  for (const [entry, item] of items) {
    item.hidden = !found.has(entry);
  }
  listed = [];
  for (const { group, entries } of blocks) {
    const shown = entries.filter((entry) => found.has(entry));
    const heading = group === null ? undefined : headings.get(group);
    if (heading) {
      heading.item.hidden = shown.length === 0;
    }
    if (!heading || heading.isOpen()) {
      listed.push(...shown);
    }
  }
  byId("shown").textContent = `${found.size.toLocaleString("en")} of ${report.images.length.toLocaleString("en")} images`;
  if (current === null || !found.has(current)) {
    show(listed[0] ?? null);
  } else {
    updatePosition();
  }
}

function updatePosition() {
  const index = current === null ? -1 : listed.indexOf(current);
  const position = index < 0 ? "" : `${index + 1} of ${listed.length}`;
  byId("position").textContent = position;
  /** @type {HTMLButtonElement} */ (byId("previous")).disabled = find(-1) === undefined;
  /** @type {HTMLButtonElement} */ (byId("next")).disabled = find(1) === undefined;
}

/** @param {Entry | null} entry */
function show(entry) {
  if (current !== null) {
    items.get(current)?.querySelector("a")?.removeAttribute("aria-current");
  }
  current = entry;
  byId("viewer").hidden = entry === null;
  byId("empty").hidden = entry !== null;
  if (entry === null) {
    const differing = report.images.some((each) => each.diffState !== "unchanged");
    byId("empty").textContent = differing ? "No image matches the filter." : "Nothing differs.";
    return;
  }
  const item = items.get(entry);
  item?.querySelector("a")?.setAttribute("aria-current", "true");
  item?.scrollIntoView({ block: "nearest" });
  describeEntry(entry);
  history.replaceState(null, "", `#${encodeURIComponent(toWellFormed(entry.name))}`);
  updatePosition();
  render(entry);
}

/**
 * Return the listed image so many places on, also from an image of a closed group.
 * @param {number} by
 */
function find(by) {
  const all = blocks.flatMap(({ entries }) => entries);
  const shown = new Set(listed);
  const at = current === null ? -1 : all.indexOf(current);
  const rest = by > 0 ? all.slice(at + 1) : all.slice(0, Math.max(at, 0)).reverse();
  return rest.find((entry) => shown.has(entry));
}

/** @param {number} by */
function step(by) {
  const next = find(by);
  if (next) {
    show(next);
  }
}

/** Closes the group of the shown image and goes on, or opens it. */
function toggleGroup() {
  const block = blocks.find(({ entries }) => current !== null && entries.includes(current));
  const heading = block?.group ? headings.get(block.group) : undefined;
  heading?.toggle();
  if (heading && !heading.isOpen()) {
    step(1);
  }
}

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => step(1),
  ArrowRight: () => step(1),
  k: () => step(-1),
  ArrowLeft: () => step(-1),
  g: toggleGroup,
  b: toggleOutlines,
  z: toggleZoom,
  "/": () => search.focus(),
  "?": () => help.showModal(),
};
MODES.forEach((each, index) => {
  KEYS[String(index + 1)] = () => setMode(each.mode);
});

/** @param {KeyboardEvent} event */
function onKey(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) {
    return;
  }
  // Arrows belong to the slider and to the radio buttons while one of them has the focus.
  const isArrow = event.key.startsWith("Arrow");
  if (target.matches?.(PLAIN_KEY_TARGETS) || (isArrow && target.matches?.("input"))) {
    return;
  }
  const inList = byId("list").contains(target) ? { ArrowDown: "j", ArrowUp: "k" } : {};
  const key = /** @type {Record<string, string>} */ (inList)[event.key] ?? event.key;
  const action = KEYS[key];
  if (action) {
    event.preventDefault();
    action();
    if (Object.keys(inList).length && current !== null) {
      items.get(current)?.querySelector("a")?.focus();
    }
  }
}

/** @returns {Entry | undefined} */
function linkedEntry() {
  const wanted = location.hash.slice(1);
  return report.images.find((entry) => encodeURIComponent(toWellFormed(entry.name)) === wanted);
}

function start() {
  const linked = linkedEntry();
  buildFilters();
  buildModes();
  for (const entry of report.images) {
    items.set(entry, makeItem(entry));
  }
  byId("filters").hidden = false;
  byId("help-button").hidden = false;
  buildList();
  if (linked) {
    show(linked);
  }
  search.addEventListener("input", filter);
  order.addEventListener("change", buildList);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("outlines").addEventListener("click", toggleOutlines);
  byId("zoom").addEventListener("click", toggleZoom);
  byId("help-button").addEventListener("click", () => help.showModal());
  amount.addEventListener("input", () => setAmount(Number(amount.value)));
  document.addEventListener("keydown", onKey);
  addEventListener("resize", () => setAmount(Number(amount.value)));
}

start();

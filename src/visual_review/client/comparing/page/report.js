"use strict";

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @type {{counts: Record<string, number>, images: Entry[]}} */
const report = JSON.parse(byId("document").textContent ?? "{}");
const search = /** @type {HTMLInputElement} */ (byId("search"));
const amount = amountInput();
const help = /** @type {HTMLDialogElement} */ (byId("help"));
const PLAIN_KEY_TARGETS = "input[type=search], textarea, select, [contenteditable]";

/** @type {Map<Entry, HTMLLIElement>} */
const items = new Map();
/** @type {Entry[]} */
let listed = [];
/** @type {Entry | null} */
let current = null;
/** @type {Mode} */
let mode = "sides";
/** @type {(percent: number) => void} */
let setAmount = () => undefined;

/** @param {Entry} entry */
function makeItem(entry) {
  const slash = entry.name.lastIndexOf("/") + 1;
  const link = element(
    "a",
    { href: `#${encodeURIComponent(toWellFormed(entry.name))}` },
    element("bdi", { class: "file" }, entry.name.slice(slash)),
    element("span", { class: `state ${entry.diffState}` }, entry.diffState),
  );
  if (slash) {
    link.append(element("bdi", { class: "path" }, entry.name.slice(0, slash - 1)));
  }
  link.addEventListener("click", (event) => {
    event.preventDefault();
    show(entry);
  });
  return element("li", {}, link);
}

// encodeURIComponent throws for halves of characters, which names of files may contain.
/** @param {string} text */
function toWellFormed(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

function buildStates() {
  for (const [state, count] of Object.entries(report.counts)) {
    const box = element("input", { type: "checkbox", name: "state", value: state });
    box.checked = state !== "unchanged";
    box.disabled = count === 0;
    const label = element("label", {}, box, element("span", { class: `state ${state}` }, state));
    label.append(` ${count.toLocaleString("en")}`);
    byId("states").append(label);
    box.addEventListener("change", filter);
  }
}

function buildModes() {
  MODES.forEach((each, index) => {
    const radio = element("input", { type: "radio", name: "mode", value: each.mode });
    radio.checked = each.mode === mode;
    radio.addEventListener("change", () => setMode(each.mode));
    const label = element("label", { title: `Key ${index + 1}` }, radio, each.label);
    byId("modes").append(label);
  });
}

function filter() {
  const states = new Set(
    [...document.querySelectorAll("#states input:checked")].map(
      (box) => /** @type {HTMLInputElement} */ (box).value,
    ),
  );
  const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
  listed = report.images.filter((entry) => {
    const name = entry.name.toLowerCase();
    return states.has(entry.diffState) && words.every((word) => name.includes(word));
  });
  const shown = new Set(listed);
  for (const [entry, item] of items) {
    item.hidden = !shown.has(entry);
  }
  byId("shown").textContent = `${listed.length.toLocaleString("en")} of ${report.images.length.toLocaleString("en")} images`;
  if (current === null || !shown.has(current)) {
    show(listed[0] ?? null);
  } else {
    updatePosition();
  }
}

function updatePosition() {
  const index = current === null ? -1 : listed.indexOf(current);
  byId("position").textContent = `${index + 1} of ${listed.length}`;
  /** @type {HTMLButtonElement} */ (byId("previous")).disabled = index <= 0;
  /** @type {HTMLButtonElement} */ (byId("next")).disabled = index >= listed.length - 1;
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
  byId("name").replaceChildren(element("bdi", {}, entry.name));
  const state = element("span", { class: `state ${entry.diffState}` }, entry.diffState);
  const facts = describe(entry);
  byId("about").replaceChildren(state, facts ? ` ${facts}` : "");
  history.replaceState(null, "", `#${encodeURIComponent(toWellFormed(entry.name))}`);
  updatePosition();
  render(entry);
}

/** @param {Entry} entry */
function render(entry) {
  const isChange = Boolean(entry.picture);
  byId("modes").hidden = !isChange;
  byId("zoom").hidden = !(entry.before || entry.after);
  byId("legend").hidden = !isChange || (mode !== "sides" && mode !== "difference" && mode !== "close-up");
  const slides = isChange && (mode === "overlay" || mode === "swipe");
  byId("slider").hidden = !slides;
  const view = byId("view");
  view.className = "view";
  view.classList.toggle("three", isChange && mode === "sides");
  // Wide images are larger below each other.
  view.classList.toggle("wide", (entry.width ?? 0) > 2 * (entry.height ?? 0));
  setAmount = () => undefined;
  view.replaceChildren(...(isChange ? viewsOf(entry) : singleView(entry)));
  setAmount(Number(amount.value));
}

/** @param {Entry} entry */
function singleView(entry) {
  const path = entry.before ?? entry.after;
  return [path ? figure(path, entry.before ? "Before" : "After") : explain(entry)];
}

/** @param {Entry} entry */
function viewsOf(entry) {
  const difference = entry.picture ?? "";
  if (mode === "overlay" || mode === "swipe") {
    const made = mode === "overlay" ? makeOverlay(entry) : makeSwipe(entry, slideTo);
    setAmount = made.setAmount;
    /** @type {HTMLLabelElement} */ (document.querySelector("#slider label")).textContent = made.label;
    return [made.shown];
  }
  if (mode === "difference") {
    return [figure(difference, "Difference")];
  }
  if (mode === "close-up") {
    return [figure(entry.composite ?? difference, "Close-up of the change")];
  }
  // In the order in which people read: what was, what changed, what is.
  return [
    figure(entry.before ?? "", "Before"),
    figure(difference, "Difference"),
    figure(entry.after ?? "", "After"),
  ];
}

/** @param {number} percent */
function slideTo(percent) {
  amount.value = String(percent);
  setAmount(percent);
}

/** @param {Mode} chosen */
function setMode(chosen) {
  mode = chosen;
  const radio = /** @type {HTMLInputElement} */ (document.querySelector(`#modes input[value=${chosen}]`));
  radio.checked = true;
  if (current !== null) {
    render(current);
  }
}

/** @param {number} by */
function step(by) {
  const next = current === null ? undefined : listed[listed.indexOf(current) + by];
  if (next) {
    show(next);
  }
}

function toggleZoom() {
  const isActual = byId("viewer").classList.toggle("actual");
  byId("zoom").setAttribute("aria-pressed", String(isActual));
  setAmount(Number(amount.value));
}

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => step(1),
  ArrowRight: () => step(1),
  k: () => step(-1),
  ArrowLeft: () => step(-1),
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
  buildStates();
  buildModes();
  for (const entry of report.images) {
    items.set(entry, makeItem(entry));
  }
  byId("list").replaceChildren(...items.values());
  byId("filters").hidden = false;
  byId("help-button").hidden = false;
  filter();
  if (linked) {
    show(linked);
  }
  search.addEventListener("input", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("zoom").addEventListener("click", toggleZoom);
  byId("help-button").addEventListener("click", () => help.showModal());
  amount.addEventListener("input", () => setAmount(Number(amount.value)));
  document.addEventListener("keydown", onKey);
  addEventListener("resize", () => setAmount(Number(amount.value)));
}

start();

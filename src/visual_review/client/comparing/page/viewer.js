"use strict";

const amount = amountInput();

/** @type {Mode} */
let mode = "sides";
/** @type {(percent: number) => void} */
let setAmount = () => undefined;

function buildModes() {
  MODES.forEach((each, index) => {
    const radio = element("input", { type: "radio", name: "mode", value: each.mode });
    radio.checked = each.mode === mode;
    radio.addEventListener("change", () => setMode(each.mode));
    const label = element("label", { title: `Key ${index + 1}` }, radio, each.label);
    byId("modes").append(label);
  });
}

/** @param {Entry} entry */
function describeEntry(entry) {
  const file = entry.name.lastIndexOf("/") + 1;
  const folder = element("span", { class: "folder" }, entry.name.slice(0, file));
  byId("name").replaceChildren(element("bdi", {}, folder, entry.name.slice(file)));
  const state = element("span", { class: `state ${entry.diffState}` }, entry.diffState);
  const facts = describe(entry);
  byId("about").replaceChildren(state, facts ? ` ${facts}` : "");
  byId("summary").textContent = entry.summary ?? "";
  byId("relation").textContent = describeRelation(entry, report.groups);
  const changes = (entry.changes ?? []).map((change, index) => makeChangeItem(change, index, choose));
  byId("changes").replaceChildren(...changes);
  for (const id of ["summary", "relation", "changes"]) {
    byId(id).hidden = !byId(id).hasChildNodes();
  }
}

/** @param {Entry} entry */
function render(entry) {
  const isChange = Boolean(entry.picture);
  byId("modes").hidden = !isChange;
  byId("zoom").hidden = !(entry.before || entry.after);
  byId("outlines").hidden = !isChange || !entry.changes?.length || mode === "close-up";
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
  const changes = entry.changes ?? [];
  if (mode === "overlay" || mode === "swipe") {
    const made = mode === "overlay" ? makeOverlay(entry) : makeSwipe(entry, slideTo);
    setAmount = made.setAmount;
    /** @type {HTMLLabelElement} */ (document.querySelector("#slider label")).textContent = made.label;
    return [made.shown];
  }
  if (mode === "difference") {
    return [figure(difference, "Difference", changes)];
  }
  if (mode === "close-up") {
    return [figure(entry.composite ?? difference, "Close-up of the change")];
  }
  // In reading order: the image before, the difference, the image after.
  return [
    figure(entry.before ?? "", "Before", changes, "before"),
    figure(difference, "Difference", changes),
    figure(entry.after ?? "", "After", changes, "after"),
  ];
}

/**
 * Show the place of a change on every image.
 * @param {number} index
 */
function choose(index) {
  setOutlines(true);
  for (const each of document.querySelectorAll("[data-change]")) {
    const isChosen = each.getAttribute("data-change") === String(index);
    each.classList.toggle("chosen", isChosen);
  }
  const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const outline = document.querySelector("#view .outline.chosen");
  outline?.scrollIntoView({ block: "center", inline: "center", behavior: smooth ? "smooth" : "auto" });
}

/** @param {boolean} shown */
function setOutlines(shown) {
  byId("viewer").classList.toggle("plain", !shown);
  byId("outlines").setAttribute("aria-pressed", String(shown));
}

function toggleOutlines() {
  setOutlines(byId("viewer").classList.contains("plain"));
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

function toggleZoom() {
  const isActual = byId("viewer").classList.toggle("actual");
  byId("zoom").setAttribute("aria-pressed", String(isActual));
  setAmount(Number(amount.value));
}

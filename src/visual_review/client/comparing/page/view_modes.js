"use strict";

// One image of the report in the document's list.
/** @typedef {{name: string, diffState: string, reason?: string, diffPixels?: number,
 *   diffRatio?: number, width?: number, height?: number, message?: string, tolerated?: boolean,
 *   kind?: string | null, summary?: string, severity?: number, alignedPixels?: number,
 *   alignedRatio?: number, faintPixels?: number, changes?: Change[],
 *   before?: string, after?: string, picture?: string, composite?: string}} Entry */

// Images with the same change, by their names; remainders also have further changes.
/** @typedef {{key: string, name: string, kind: string | null, images: string[],
 *   remainders: string[]}} Group */

/** @typedef {"sides" | "overlay" | "swipe" | "difference" | "close-up"} Mode */

/** @type {ReadonlyArray<{mode: Mode, label: string}>} */
const MODES = [
  { mode: "sides", label: "Side by side" },
  { mode: "overlay", label: "Overlay" },
  { mode: "swipe", label: "Swipe" },
  { mode: "difference", label: "Difference" },
  { mode: "close-up", label: "Close-up" },
];

const REASONS = new Map([
  ["identical", "Every pixel is the same."],
  ["below_threshold", "Colors differ by no more than the threshold."],
  ["anti_aliased", "Only anti-aliased pixels differ."],
  ["regions", "Only ignored areas differ."],
]);

/** @param {string} path */
function encodePath(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/**
 * @param {string} path
 * @param {string} label
 */
function image(path, label) {
  return element("img", { src: encodePath(path), alt: label, decoding: "async", loading: "lazy" });
}

/**
 * @param {string} path
 * @param {string} label
 * @param {Change[]} changes to outline
 * @param {Side} side
 */
function figure(path, label, changes = [], side = "union") {
  const shown = image(path, label);
  const frame = element("div", { class: "frame" }, shown);
  if (changes.length) {
    const outline = () => {
      addOutlines(frame, changes, side, shown.naturalWidth, shown.naturalHeight);
    };
    shown.addEventListener("load", outline, { once: true });
  }
  return element("figure", {}, element("figcaption", {}, label), frame);
}

/**
 * Both images on one area, in the same scale, with the later one on top.
 * @param {Entry} entry
 * @param {string} extra
 */
function area(entry, extra) {
  const [width, height] = [entry.width ?? 1, entry.height ?? 1];
  const both = element("div", { class: `area ${extra}` });
  both.style.width = `${width}px`;
  both.style.aspectRatio = `${width} / ${height}`;
  const images = [image(entry.before ?? "", "Before"), image(entry.after ?? "", "After")];
  for (const each of images) {
    const fit = () => {
      each.style.width = `${(each.naturalWidth / width) * 100}%`;
    };
    // An image in its own size would widen the page until fully loaded.
    each.style.width = "100%";
    each.addEventListener("load", fit);
    each.loading = "eager";
    both.append(each);
  }
  addOutlines(both, entry.changes ?? [], "union", width, height);
  return { both, top: images[1] };
}

/**
 * @param {Entry} entry
 * @returns {{shown: HTMLElement, setAmount: (percent: number) => void, label: string}}
 */
function makeOverlay(entry) {
  const { both, top } = area(entry, "");
  const setAmount = (/** @type {number} */ percent) => {
    top.style.opacity = String(percent / 100);
  };
  return { shown: both, setAmount, label: "Opacity of after" };
}

/**
 * @param {Entry} entry
 * @param {(percent: number) => void} moveSlider
 * @returns {{shown: HTMLElement, setAmount: (percent: number) => void, label: string}}
 */
function makeSwipe(entry, moveSlider) {
  const { both, top } = area(entry, "swiped");
  const line = element("span", { class: "line" });
  both.append(line);
  const setAmount = (/** @type {number} */ percent) => {
    // Percent of the area, as the image on top may be narrower.
    const [shown, whole] = [top.getBoundingClientRect().width, both.getBoundingClientRect().width];
    const share = shown ? Math.min(100, (percent * whole) / shown) : percent;
    top.style.clipPath = `inset(0 0 0 ${share}%)`;
    line.style.left = `${percent}%`;
  };
  const follow = (/** @type {PointerEvent} */ event) => {
    const box = both.getBoundingClientRect();
    moveSlider(Math.max(0, Math.min(100, ((event.clientX - box.left) / box.width) * 100)));
  };
  both.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    both.setPointerCapture(event.pointerId);
    follow(event);
  });
  both.addEventListener("pointermove", (event) => {
    if (both.hasPointerCapture(event.pointerId)) {
      follow(event);
    }
  });
  top.addEventListener("load", () => setAmount(Number(amountInput().value)));
  return { shown: both, setAmount, label: "Before left of the line, after right of it" };
}

function amountInput() {
  return /** @type {HTMLInputElement} */ (document.getElementById("amount"));
}

/**
 * @param {number} pixels
 * @param {number} ratio
 */
function formatPixels(pixels, ratio) {
  const share = ratio * 100;
  const percent = share < 0.01 && pixels ? "less than 0.01" : share.toFixed(2);
  return `${pixels.toLocaleString("en")} (${percent}%)`;
}

/** @param {Entry} entry */
function describe(entry) {
  const parts = [];
  const different = entry.diffPixels ?? 0;
  const aligned = entry.alignedPixels ?? different;
  if (entry.width && entry.height) {
    parts.push(`${entry.width} × ${entry.height}`);
  }
  if (different) {
    parts.push(`${formatPixels(different, entry.diffRatio ?? 0)} pixels differ`);
  }
  if (aligned < different) {
    parts.push(`${formatPixels(aligned, entry.alignedRatio ?? 0)} with moved content aligned`);
  }
  if (entry.faintPixels) {
    parts.push(`${entry.faintPixels.toLocaleString("en")} faint`);
  }
  if (entry.reason === "size") {
    parts.push("the sizes differ");
  }
  return parts.join(", ");
}

/** @param {Entry} entry */
function explain(entry) {
  if (entry.message) {
    return element("p", { class: "notice failed" }, entry.message);
  }
  const text = entry.tolerated
    ? "Pixels differ, but no more than was allowed."
    : REASONS.get(entry.reason ?? "") ?? "";
  return element("p", { class: "notice" }, text || "There is no image to show.");
}

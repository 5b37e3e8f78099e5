// Defects as they happen: each changes one random element of the page, and returns how to undo it.
"use strict";

const visible = (element) => {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return box.width > 3 && box.height > 3 && box.left >= 0 && style.visibility === "visible" && style.opacity !== "0" && box.top + scrollY < 2400 && box.right <= innerWidth;
};
const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
const ownText = (element) =>
  [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim().length > 1);
const texts = () => all(".vr-page *").filter((element) => ownText(element).length > 0 && !element.closest("svg"));
const boxes = () =>
  all(".vr-page *").filter((element) => {
    const box = element.getBoundingClientRect();
    return !element.closest("svg") && box.width < 700 && box.height < 400 && box.width > 12;
  });
const styled = (test) => boxes().filter((element) => test(getComputedStyle(element)));
const hasBackground = (style) => !/^rgba?\(0, 0, 0, 0\)$|^transparent$/.test(style.backgroundColor);

/** Set styles on one of the elements; what changes nothing is no defect. */
function restyle(random, elements, change) {
  if (!elements.length) return null;
  const element = pick(random, elements);
  const before = element.getAttribute("style");
  for (const [name, value] of Object.entries(change(element, getComputedStyle(element))))
    element.style.setProperty(name, value, "important");
  return () => (before === null ? element.removeAttribute("style") : element.setAttribute("style", before));
}

function retext(random, elements, change) {
  const found = elements.filter((element) => ownText(element).some((node) => change(node.data) !== node.data));
  if (!found.length) return null;
  const element = pick(random, found);
  const node = ownText(element).find((each) => change(each.data) !== each.data);
  const before = node.data;
  node.data = change(before);
  return () => (node.data = before);
}

function replaceAttribute(element, name, value) {
  const before = element.getAttribute(name);
  element.setAttribute(name, value);
  return () => element.setAttribute(name, before);
}

const lineHeight = (style) =>
  `${(style.lineHeight === "normal" ? parseFloat(style.fontSize) * 1.2 : parseFloat(style.lineHeight)) + 1}px`;

const DEFECTS = {
  "wrong icon": (random) => {
    const paths = all("svg.vr-icon").map((svg) => svg.querySelector("path"));
    if (!paths.length) return null;
    const path = pick(random, paths);
    const others = Object.values(ICONS).filter((shape) => shape !== path.getAttribute("d"));
    return replaceAttribute(path, "d", pick(random, others));
  },
  "font fallback": (random) => restyle(random, texts(), () => ({ "font-family": "serif" })),
  "line height": (random) => restyle(random, texts(), (_, style) => ({ "line-height": lineHeight(style) })),
  "letter spacing": (random) => restyle(random, texts(), () => ({ "letter-spacing": "0.6px" })),
  overlap: (random) =>
    restyle(random, boxes(), () => ({ position: "relative", "z-index": 9, "margin-top": "-14px", top: "7px", background: "#eef2f7" })),
  "wrong crop": (random) => restyle(random, all("img"), () => ({ "object-position": "0 0" })),
  "lost border": (random) =>
    restyle(random, styled((style) => parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none" && hasBackground(style)), () => ({ "border-color": "transparent" })),
  "second scrollbar": (random) => restyle(random, all(".vr-panel"), () => ({ overflow: "scroll", height: "90px" })),
  "focus ring": (random) =>
    restyle(random, all(".vr-page a, .vr-page button, .vr-page input"), () => ({ outline: "2px solid #1f6feb", "outline-offset": "2px" })),
  blur: (random) => restyle(random, boxes(), () => ({ filter: "blur(1px)" })),
  "decimal comma": (random) =>
    retext(random, texts(), (text) =>
      text.replace(/\d{1,3}(,\d{3})+\.\d+|\d+\.\d\d/, (number) =>
        number.replace(/[,.]/g, (mark) => (mark === "," ? "." : ",")),
      ),
    ),
  "cut shadow": (random) => restyle(random, styled((style) => style.boxShadow !== "none"), () => ({ "box-shadow": "none" })),
  "dark background": (random) => restyle(random, boxes(), () => ({ background: "#1b1f27" })),
  "1 px right": (random) => restyle(random, boxes(), () => ({ position: "relative", left: "1px" })),
  "1 px down": (random) => restyle(random, boxes(), () => ({ position: "relative", top: "1px" })),
  "emptied list": (random) => restyle(random, all("ul > *, ol > *, tr").map((each) => each.parentElement), () => ({ visibility: "hidden" })),
  "broken image": (random) => {
    const images = all("img");
    return images.length ? replaceAttribute(pick(random, images), "src", "data:image/png;base64,AAAA") : null;
  },
  "untranslated key": (random) => retext(random, texts(), (text) => `app.${text.trim().toLowerCase().replaceAll(/\W+/g, "_").slice(0, 18)}`),
  "80 % opacity": (random) => restyle(random, boxes(), () => ({ opacity: 0.8 })),
  "lost bold": (random) =>
    restyle(random, texts().filter((each) => Number(getComputedStyle(each).fontWeight) >= 600), () => ({ "font-weight": 400 })),
  "lost rounding": (random) =>
    restyle(random, styled((style) => parseFloat(style.borderTopLeftRadius) > 3 && (hasBackground(style) || parseFloat(style.borderTopWidth) > 0)), () => ({ "border-radius": 0 })),
  "paler text": (random) => restyle(random, texts(), () => ({ color: "#a9b0bc" })),
  "faint background": (random) => restyle(random, styled((style) => !hasBackground(style)), () => ({ background: "#f4f4f0" })),
  underline: (random) => restyle(random, texts(), () => ({ "text-decoration": "underline" })),
  "padding + 2 px": (random) =>
    restyle(random, styled((style) => parseFloat(style.paddingTop) > 2), (_, style) => ({ "padding-top": `${parseFloat(style.paddingTop) + 2}px` })),
};

let undo = null;

/** Plant a defect; return false where the page has nothing that could have it. */
function plant(kind, seed) {
  undo = DEFECTS[kind](randomFrom(`${kind} ${seed}`));
  return undo !== null;
}

function heal() {
  undo?.();
  undo = null;
}

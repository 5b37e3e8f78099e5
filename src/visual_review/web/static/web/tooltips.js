// Tooltips of elements with data-tooltip, and the equivalent key, from data-key. Shown above the
// element for the mouse and for the keyboard's focus; Escape closes tooltips, and the mouse may
// move onto a tooltip. Screen readers get the element's own name.

const DELAY_MS = 350;
const DISTANCE = 6;
const EDGE = 8;

/**
 * Return where a tooltip is placed: centered above its element, below if there is no room, and
 * never outside the window.
 *
 * @param {{left: number, top: number, bottom: number, width: number}} element
 * @param {{width: number, height: number}} tooltip
 * @param {number} windowWidth
 * @returns {{left: number, top: number}}
 */
export function placeTooltip(element, tooltip, windowWidth) {
  const centered = element.left + (element.width - tooltip.width) / 2;
  const furthest = Math.max(EDGE, windowWidth - EDGE - tooltip.width);
  const above = element.top - DISTANCE - tooltip.height;
  return {
    left: Math.min(Math.max(EDGE, centered), furthest),
    top: above >= EDGE ? above : element.bottom + DISTANCE,
  };
}

class Tooltips {
  constructor() {
    this.box = document.createElement("div");
    this.box.className = "tooltip";
    this.box.popover = "manual";
    this.box.setAttribute("aria-hidden", "true");
    /** @type {HTMLElement | null} */
    this.owner = null;
    this.timer = 0;
  }

  /** @param {HTMLElement} element */
  show(element) {
    this.owner = element;
    this.box.textContent = element.dataset.tooltip ?? "";
    if (element.dataset.key) {
      const key = document.createElement("kbd");
      key.className = "kbd";
      key.textContent = element.dataset.key;
      this.box.append(" ", key);
    }
    // A dialog makes everything outside inert, so the tooltip belongs inside.
    (element.closest("dialog") ?? document.body).append(this.box);
    this.box.showPopover();
    const { left, top } = placeTooltip(
      element.getBoundingClientRect(),
      this.box.getBoundingClientRect(),
      document.documentElement.clientWidth,
    );
    this.box.style.setProperty("left", `${left}px`);
    this.box.style.setProperty("top", `${top}px`);
  }

  hide() {
    clearTimeout(this.timer);
    this.owner = null;
    this.box.remove();
  }

  /** The focus may have scrolled the page itself; the mouse is elsewhere after scrolling. */
  follow() {
    const owner = this.owner;
    this.hide();
    if (owner?.matches(":focus-visible")) {
      this.show(owner);
    }
  }

  /** @param {EventTarget | null} target */
  ownerOf(target) {
    const found = target instanceof Element ? target.closest("[data-tooltip]") : null;
    return found instanceof HTMLElement ? found : null;
  }

  /** @param {EventTarget | null} target */
  enter(target) {
    if (target instanceof Node && this.box.contains(target)) {
      return;
    }
    const owner = this.ownerOf(target);
    if (owner === this.owner) {
      return;
    }
    this.hide();
    if (owner) {
      this.timer = window.setTimeout(() => this.show(owner), DELAY_MS);
    }
  }
}

/** Show tooltips on this page, also for elements that are added later. */
export function enableTooltips() {
  const tooltips = new Tooltips();
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse") {
      tooltips.enter(event.target);
    }
  });
  document.addEventListener("focusin", (event) => {
    const owner = tooltips.ownerOf(event.target);
    tooltips.hide();
    if (owner?.matches(":focus-visible")) {
      tooltips.show(owner);
    }
  });
  for (const type of ["focusout", "pointerdown"]) {
    document.addEventListener(type, () => tooltips.hide(), { capture: true, passive: true });
  }
  document.addEventListener("scroll", () => tooltips.follow(), { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      tooltips.hide();
    }
  });
}

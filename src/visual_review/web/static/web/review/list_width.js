// How wide the list is: dragged, or moved by keys, and remembered.

import { element, setAttribute } from "./dom.js";

/** In pixels; the screenshot keeps at least half of the page. */
const LEAST = 224;
const STEP = 32;

/**
 * @param {HTMLElement} root
 * @param {{listWidth: () => number, setListWidth: (width: number) => void}} preferences
 */
export function createListWidth(root, { listWidth, setListWidth }) {
  const attributes = { class: "list-width", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the list", "aria-valuemin": LEAST };
  const handle = element("div", attributes);

  /** @param {number} wanted */
  function set(wanted) {
    const most = Math.max(LEAST, Math.floor(root.clientWidth / 2));
    const width = Math.round(Math.min(Math.max(wanted, LEAST), most));
    root.style.setProperty("--list-width", `${width}px`);
    setAttribute(handle, "aria-valuenow", width);
    setAttribute(handle, "aria-valuemax", most);
    return width;
  }

  const shown = () => handle.getBoundingClientRect().left - root.getBoundingClientRect().left;
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) {
      setListWidth(set(event.clientX - root.getBoundingClientRect().left));
    }
  });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      setListWidth(set(shown() + by));
    }
  });
  handle.addEventListener("dblclick", () => {
    setListWidth(0);
    root.style.removeProperty("--list-width");
  });
  root.append(handle);
  setAttribute(handle, "aria-valuenow", Math.round(shown()));
  if (listWidth() > 0) {
    set(listWidth());
  }
}

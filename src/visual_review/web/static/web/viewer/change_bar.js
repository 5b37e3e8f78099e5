// The line below the images, describing the current change, and the toolbar's buttons for going to
// changes.

/** @import { Change } from "./types.js" */

import { describeChange } from "./change_list.js";
import { make, setText } from "./dom.js";
import { makeButton } from "./toolbar.js";

export class ChangeBar {
  #position = make("span", { class: "change-position" });
  #kind = make("span", { class: "change-kind" });
  #colors = make("span", { class: "change-colors" });
  #text = make("span", { class: "change-text" });
  #seen = make("span", { class: "change-seen" });
  #status = make("p", { class: "change", role: "status" });

  /** @param {(direction: 1 | -1) => void} onStep */
  constructor(onStep) {
    this.previous = makeButton("previous", "Previous change", () => onStep(-1));
    this.next = makeButton("next", "Next change", () => onStep(1));
    this.previous.classList.add("spare");
    this.#status.append(this.#kind, this.#colors, this.#text);
    const group = { class: "group", role: "group", "aria-label": "Changes" };
    this.buttons = make("div", group, this.previous, this.#position, this.next);
    this.element = make("div", { class: "change-bar", part: "change-bar" }, this.#status, this.#seen);
  }

  /**
   * @param {readonly Change[]} changes
   * @param {number} current
   * @param {{seen: number, total: number}} seen
   * @param {string} otherwise The text if there are no changes.
   */
  update(changes, current, seen, otherwise) {
    const change = changes[current];
    this.previous.disabled = changes.length < 2;
    this.next.disabled = changes.length === 0 && seen.seen === seen.total;
    setText(this.#seen, describeSeen(seen));
    setText(this.#position, change ? `${current + 1} of ${changes.length}` : "");
    const kind = change && !namesKind(change) ? change.kind : "";
    setText(this.#kind, kind);
    this.#kind.hidden = kind === "";
    setText(this.#text, change ? describeChange(change) : otherwise);
    this.#status.title = this.#text.textContent ?? "";
    this.#showColors(change);
  }

  /** @param {Change | undefined} change */
  #showColors(change) {
    this.#colors.hidden = !change?.colors;
    if (change?.colors) {
      const { before, after } = change.colors;
      this.#colors.replaceChildren(makeSwatch(before), "→", makeSwatch(after));
      this.#colors.title = `${before} to ${after}`;
    }
  }
}

/** @param {{seen: number, total: number}} parts */
export function describeSeen({ seen, total }) {
  if (total > 1) {
    return `${seen} of ${total} parts seen`;
  }
  return seen < total ? "not all of it seen" : "";
}

/** @param {Change} change */
function namesKind(change) {
  return change.description.toLowerCase().includes(change.kind);
}

/** @param {string} color */
function makeSwatch(color) {
  const swatch = make("span", { class: "swatch", role: "img", "aria-label": color });
  swatch.style.setProperty("background-color", color);
  return swatch;
}

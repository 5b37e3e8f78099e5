// All members of a group at once: look at each, take some out, decide the rest.

import { countOf, formatCount } from "../../navigator/model/names.js";
import { prefersReducedMotion } from "../../viewer/dom.js";
import { createDialog, showDialog } from "../dialog.js";
import { button, element, setAttribute, setText } from "../dom.js";
import { describeLoadError } from "../loading.js";
import { CellImages } from "./cell_images.js";
import { GridCell } from "./grid_cell.js";
import { planGrid } from "./grid_plan.js";

/** @import { DetailsCache } from "../details_cache.js" */
/** @import { Screenshot } from "../types.js" */
/** @import { GridPlan } from "./grid_plan.js" */

const BLINK_MILLISECONDS = 700;
const REPORT_MILLISECONDS = 100;

/**
 * @typedef {object} GridActions
 * @property {(ids: readonly string[], decision: "approved" | "rejected", unseen: number) => Promise<boolean>} decide Resolves to whether the screenshots were decided.
 * @property {(id: string) => void} open Show one in the viewer.
 * @property {(ids: readonly string[]) => void} see All changes of these screenshots were in view.
 */

/**
 * @typedef {object} GridContent
 * @property {string} title
 * @property {readonly Screenshot[]} members
 * @property {readonly Screenshot[]} apart With changes of their own; decided one by one.
 * @property {boolean} mayDecide
 */

export class GroupGrid {
  #actions;
  #details;
  #images = new CellImages();
  /** @type {Map<string, GridCell>} */
  #cells = new Map();
  /** @type {Map<string, GridPlan>} One for each group; a selection may have several. */
  #plans = new Map();
  #list = element("ul", { class: "grid", role: "listbox", "aria-multiselectable": "true" });
  #approve = button("", { class: "button button--primary grid__approve", "aria-keyshortcuts": "A" }, () => void this.#decide("approved"));
  #reject = button("", { class: "button", "aria-keyshortcuts": "R" }, () => void this.#decide("rejected"));
  #blink = button("Blink", { class: "button button--quiet", "aria-keyshortcuts": "B", "aria-pressed": "false" }, () => this.#toggleBlinking());
  #status = element("p", { class: "grid__status muted small", role: "status" });
  #dialog;
  #timer = 0;
  #report = 0;
  /** @type {string[]} Members painted, but not reported yet. */
  #seen = [];
  /** Reports the cells near the window: only these have images. */
  #observer;

  /**
   * @param {GridContent} content
   * @param {DetailsCache} details
   * @param {GridActions} actions
   */
  constructor(content, details, actions) {
    this.#actions = actions;
    this.#details = details;
    setAttribute(this.#list, "aria-label", content.title);
    const members = content.members.map((each) => this.#addCell(each));
    this.#list.append(...members.map((cell) => cell.element));
    const close = button("Close", { class: "button button--quiet", "aria-keyshortcuts": "Escape" }, () => this.#dialog.close());
    const decisions = content.mayDecide && members.length > 0 ? [this.#approve, this.#reject] : [];
    const body = element("div", {}, this.#createApart(content.apart), this.#list);
    this.#dialog = createDialog(content.title, body, "group");
    this.#dialog.firstElementChild?.append(element("div", { class: "grid__actions" }, this.#status, ...decisions, this.#blink, close));
    this.#observer = new IntersectionObserver((entries) => void this.#paintVisible(entries), { root: this.#dialog, rootMargin: "200px" });
    this.#listen(members);
    this.#update();
  }

  show() {
    const [first] = this.#cells.values();
    showDialog(this.#dialog, first?.element);
    if (first) {
      this.#focus(first.element);
    }
    for (const cell of this.#cells.values()) {
      this.#observer.observe(cell.element);
    }
  }

  /** @param {Screenshot} screenshot */
  #addCell(screenshot) {
    const cell = new GridCell(screenshot);
    this.#cells.set(screenshot.id, cell);
    cell.element.addEventListener("dblclick", () => this.#open(screenshot.id));
    return cell;
  }

  /** @param {readonly Screenshot[]} apart */
  #createApart(apart) {
    const links = apart.map(({ id, title, theme, device }) =>
      element("li", {}, button(`${title.split("/").at(-1) ?? title} (${theme}, ${device})`, { class: "button button--small" }, () => this.#open(id))),
    );
    const text = `${countOf(apart.length, "screenshot")} with changes of ${apart.length === 1 ? "its" : "their"} own, to be decided one by one:`;
    return element("div", { class: "grid__apart", hidden: apart.length === 0 }, element("p", {}, text), element("ul", { class: "plain grid__links" }, ...links));
  }

  /** @param {readonly GridCell[]} members */
  #listen(members) {
    this.#dialog.addEventListener("keydown", (event) => this.#press(event));
    this.#dialog.addEventListener("close", () => {
      clearInterval(this.#timer);
      this.#reportSeen();
      this.#observer.disconnect();
      this.#images.close();
    });
    this.#list.addEventListener("click", (event) => {
      const cell = this.#cellOf(event.target);
      if (cell && members.includes(cell)) {
        this.#focus(cell.element);
      }
    });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const cell = this.#cellOf(document.activeElement);
    const step = cell ? this.#stepOf(event.key) : 0;
    /** @type {Readonly<Record<string, () => void>>} */
    const commands = {
      a: () => void this.#decide("approved"),
      r: () => void this.#decide("rejected"),
      b: () => this.#toggleBlinking(),
      g: () => this.#dialog.close(),
      x: () => this.#toggle(cell),
      " ": () => this.#toggle(cell),
      enter: () => this.#open(cell?.id ?? ""),
    };
    const command = step === 0 ? commands[event.key.toLowerCase()] : () => this.#move(step);
    if (command && (cell || !["enter", " "].includes(event.key.toLowerCase()))) {
      event.preventDefault();
      command();
    }
  }

  /** @param {string} key */
  #stepOf(key) {
    const [first, ...others] = [...this.#cells.values()].map(({ element: { offsetTop } }) => offsetTop);
    const below = others.findIndex((top) => top !== first);
    const columns = below < 0 ? 1 : below + 1;
    const count = this.#cells.size;
    /** @type {Readonly<Record<string, number>>} */
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -count, End: count };
    return steps[key] ?? 0;
  }

  /** @param {number} by */
  #move(by) {
    const cells = [...this.#cells.values()];
    const at = cells.findIndex(({ element: { tabIndex } }) => tabIndex === 0);
    const next = cells[Math.min(Math.max(at + by, 0), cells.length - 1)];
    if (next) {
      this.#focus(next.element);
    }
  }

  /** @param {HTMLElement} target */
  #focus(target) {
    for (const { element: each } of this.#cells.values()) {
      each.tabIndex = each === target ? 0 : -1;
    }
    target.focus();
  }

  /** @param {EventTarget | null} target */
  #cellOf(target) {
    const found = target instanceof Element ? target.closest(".grid-cell") : null;
    return found instanceof HTMLElement ? (this.#cells.get(found.dataset["id"] ?? "") ?? null) : null;
  }

  /** @param {GridCell | null} cell */
  #toggle(cell) {
    if (cell) {
      cell.takeOut(!cell.isTakenOut);
      this.#update();
    }
  }

  /** @param {string} id */
  #open(id) {
    if (id) {
      this.#dialog.close();
      this.#actions.open(id);
    }
  }

  /** @param {"approved" | "rejected"} decision */
  async #decide(decision) {
    const rest = this.#rest();
    if (!this.#approve.isConnected || rest.length === 0) {
      return;
    }
    const unseen = rest.filter(({ isSeen }) => !isSeen).length;
    if (await this.#actions.decide(rest.map(({ id }) => id), decision, unseen)) {
      this.#dialog.close();
    }
  }

  #rest() {
    return [...this.#cells.values()].filter(({ isTakenOut }) => !isTakenOut);
  }

  #update() {
    const [all, rest] = [this.#cells.size, this.#rest().length];
    setText(this.#approve, `Approve ${formatCount(rest)}`);
    setText(this.#reject, `Reject ${formatCount(rest)}…`);
    const taken = all > rest ? `${formatCount(all - rest)} taken out · ` : "";
    const unseen = [...this.#cells.values()].filter(({ isSeen }) => !isSeen).length;
    const seen = unseen > 0 ? `${formatCount(unseen)} of ${formatCount(all)} not in view yet` : `all ${formatCount(all)} in view`;
    setText(this.#status, `${taken}${seen} · arrows move, X takes one out, Enter opens it`);
  }

  #toggleBlinking() {
    const isBlinking = this.#blink.getAttribute("aria-pressed") !== "true";
    setAttribute(this.#blink, "aria-pressed", String(isBlinking));
    clearInterval(this.#timer);
    this.#list.classList.toggle("grid--blink", isBlinking);
    this.#list.dataset["side"] = "after";
    if (isBlinking && !prefersReducedMotion()) {
      this.#timer = window.setInterval(() => {
        this.#list.dataset["side"] = this.#list.dataset["side"] === "before" ? "after" : "before";
      }, BLINK_MILLISECONDS);
    }
  }

  /** @param {readonly IntersectionObserverEntry[]} entries */
  async #paintVisible(entries) {
    for (const { target } of entries.filter(({ isIntersecting }) => !isIntersecting)) {
      this.#cellOf(target)?.clear();
    }
    const visible = entries.filter(({ isIntersecting }) => isIntersecting);
    const cells = visible.flatMap(({ target }) => this.#cellOf(target) ?? []);
    try {
      await this.#details.load(cells.map(({ id }) => id));
    } catch (error) {
      setText(this.#status, describeLoadError(error));
      return;
    }
    this.#arrange(cells);
    await Promise.all(cells.map((cell) => this.#paint(cell)));
  }

  /**
   * The first shown members of a group determine the size of all members.
   *
   * @param {readonly GridCell[]} shown
   */
  #arrange(shown) {
    for (const group of new Set(shown.map((cell) => cell.group))) {
      const cells = shown.filter((cell) => cell.group === group);
      const known = cells.flatMap(({ id }) => this.#details.get(id) ?? []);
      if (this.#plans.has(group) || known.length === 0) {
        continue;
      }
      const plan = planGrid(known, cells[0]?.width ?? 0);
      this.#plans.set(group, plan);
      for (const cell of this.#cells.values()) {
        if (cell.group === group) {
          cell.arrange(plan);
        }
      }
    }
  }

  /** @param {GridCell} cell */
  async #paint(cell) {
    const details = this.#details.get(cell.id);
    const plan = this.#plans.get(cell.group);
    if (!details || !plan) {
      return;
    }
    await cell.paint(details, plan, this.#images);
    if (cell.isSeen) {
      this.#seen.push(cell.id);
    }
    this.#reportSoon();
  }

  /** A report redraws the list and the bar behind: not for each cell, nor before the others. */
  #reportSoon() {
    clearTimeout(this.#report);
    this.#report = window.setTimeout(() => this.#reportSeen(), REPORT_MILLISECONDS);
  }

  #reportSeen() {
    clearTimeout(this.#report);
    this.#actions.see(this.#seen.splice(0));
    this.#update();
  }
}

// Search, filters, order and the chips of chosen values, above the list.

/** @import { FacetCounts } from "./model/filters.js" */
/** @import { Sort, View } from "./model/view.js" */

import { createButton, createElement, createHiddenText, createIcon, setText } from "./dom.js";
import { FilterPanel } from "./filter_panel.js";
import { listChips } from "./model/choices.js";
import { countFilters, SORTS, withoutFilters } from "./model/view.js";

const SEARCH_DELAY = 120;

/** @type {Readonly<Record<Sort, string>>} */
const SORT_NAMES = {
  group: "Alike together",
  largest: "Largest first",
  story: "By story",
};

export class FilterBar {
  element = createElement("div", "filter-bar");
  #search = createSearchField();
  #number = createElement("span", "filter-bar__number");
  #active = createHiddenText();
  #open = createElement("button", "button button--small filter-bar__open");
  #sort = createElement("select", "input filter-bar__sort");
  #tree = createElement("button", "button button--small filter-bar__tree");
  #chips = createElement("div", "filter-bar__chips");
  #setView;
  #panel;
  #timer = 0;
  /** @type {View | null} */
  #view = null;

  /** @param {(view: View) => void} setView */
  constructor(setView) {
    this.#setView = setView;
    this.#panel = new FilterPanel(setView);
    this.#buildSearch();
    this.#buildOpenButton();
    this.#buildOrder();
    const first = createElement("div", "filter-bar__row");
    first.append(this.#search, this.#open);
    const second = createElement("div", "filter-bar__row");
    second.append(this.#sort, this.#tree);
    this.element.append(first, second, this.#chips, this.#panel.element);
  }

  /**
   * @param {View} view
   * @param {FacetCounts} counts
   */
  show(view, counts) {
    this.#view = view;
    this.#panel.show(view, counts);
    if (document.activeElement !== this.#search) {
      this.#search.value = view.q;
    }
    const number = countFilters({ ...view, q: "" });
    setText(this.#number, number > 0 ? String(number) : "");
    setText(this.#active, number > 0 ? "active" : "");
    this.#sort.value = view.sort;
    this.#tree.ariaPressed = String(view.tree);
    this.#showChips(view);
  }

  focusSearch() {
    this.#search.focus();
    this.#search.select();
  }

  openFilters() {
    this.#panel.element.showPopover();
  }

  /** @param {View} view */
  #showChips(view) {
    const chips = listChips(view).map(({ name, without }) => {
      const chip = createButton("", "chip", () => this.#change(without));
      const text = createElement("span", "chip__text", name);
      text.dir = "auto";
      chip.append(text, createIcon("close"));
      chip.ariaLabel = `Remove the filter ${name}`;
      return chip;
    });
    if (countFilters(view) > 0) {
      const reset = createButton("Reset", "button button--quiet button--small", () =>
        this.#change(withoutFilters(view)),
      );
      reset.ariaLabel = "Reset all filters";
      chips.push(reset);
    }
    const hadFocus = this.#chips.contains(document.activeElement);
    this.#chips.replaceChildren(...chips);
    this.#chips.hidden = chips.length === 0;
    if (hadFocus) {
      (chips[0] ?? this.#open).focus();
    }
  }

  /** @param {View} view */
  #change(view) {
    this.#search.value = view.q;
    this.#setView(view);
  }

  #buildSearch() {
    this.#search.addEventListener("input", () => {
      window.clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#update({ q: this.#search.value }), SEARCH_DELAY);
    });
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        this.#search.value = "";
        this.#update({ q: "" });
        this.#search.blur();
      }
    });
  }

  #buildOpenButton() {
    this.#open.type = "button";
    this.#open.append(createIcon("filter"), createElement("span", "", "Filters"), this.#number, this.#active);
    this.#open.popoverTargetElement = this.#panel.element;
    this.#panel.element.addEventListener("beforetoggle", () => {
      const { bottom, left } = this.element.getBoundingClientRect();
      this.#panel.element.style.setProperty("--panel-top", `${bottom}px`);
      this.#panel.element.style.setProperty("--panel-left", `${left}px`);
    });
  }

  #buildOrder() {
    this.#sort.ariaLabel = "Order";
    for (const sort of SORTS) {
      this.#sort.append(new Option(SORT_NAMES[sort], sort));
    }
    this.#sort.addEventListener("change", () => {
      this.#update({ sort: SORTS.find((each) => each === this.#sort.value) ?? "group" });
    });
    this.#tree.type = "button";
    this.#tree.append(createIcon("list"), createElement("span", "", "Story tree"));
    this.#tree.addEventListener("click", () => this.#update({ tree: !this.#view?.tree }));
  }

  /** @param {Partial<View>} choice */
  #update(choice) {
    if (this.#view) {
      this.#setView({ ...this.#view, ...choice });
    }
  }
}

function createSearchField() {
  const search = createElement("input", "input filter-bar__search");
  search.type = "search";
  search.placeholder = "Search stories";
  search.ariaLabel = "Search stories, groups and kinds of change";
  search.maxLength = 500;
  search.autocomplete = "off";
  search.spellcheck = false;
  search.dir = "auto";
  return search;
}

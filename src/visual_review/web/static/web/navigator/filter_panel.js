// The panel with all filters and their counts: a popover, on a phone a sheet.

/** @import { ChoiceList } from "./model/choices.js" */
/** @import { FacetCounts } from "./model/filters.js" */
/** @import { ListFacet, SwitchFacet, View } from "./model/view.js" */

import { createButton, createElement, setText } from "./dom.js";
import { listChoices, SWITCH_NAMES } from "./model/choices.js";
import { formatCount } from "./model/names.js";
import { SWITCHES, toggleValue } from "./model/view.js";

/** @typedef {{input: HTMLInputElement, count: HTMLElement, label: HTMLElement}} CheckBox */

export class FilterPanel {
  element = createElement("div", "filter-panel");
  #lists = createElement("div", "filter-panel__lists");
  /** @type {Map<string, CheckBox>} */
  #boxes = new Map();
  #setView;
  /** @type {View | null} */
  #view = null;

  /** @param {(view: View) => void} setView */
  constructor(setView) {
    this.#setView = setView;
    this.element.id = "navigator-filters";
    this.element.popover = "auto";
    this.element.role = "dialog";
    this.element.ariaLabel = "Filters";
    const close = createButton("Done", "button button--small filter-panel__close", () =>
      this.element.hidePopover(),
    );
    this.element.append(this.#lists, close);
  }

  /**
   * @param {View} view
   * @param {FacetCounts} counts
   */
  show(view, counts) {
    this.#view = view;
    const lists = listChoices(view, counts);
    if (!this.#hasAll(lists)) {
      this.#build(lists);
    }
    for (const { facet, choices } of lists) {
      for (const { value, count, isChosen } of choices) {
        this.#fill(`${facet} ${value}`, count, isChosen);
      }
    }
    for (const facet of SWITCHES) {
      this.#fill(facet, counts[facet].get("1") ?? 0, view[facet]);
    }
  }

  /** @param {readonly ChoiceList[]} lists */
  #hasAll(lists) {
    return lists.every(({ facet, choices }) =>
      choices.every(({ value }) => this.#boxes.has(`${facet} ${value}`)),
    );
  }

  /** @param {readonly ChoiceList[]} lists */
  #build(lists) {
    this.#boxes.clear();
    const more = this.#createList("More");
    for (const facet of SWITCHES) {
      more.append(this.#createBox(facet, SWITCH_NAMES[facet], () => this.#toggleSwitch(facet)));
    }
    const elements = lists.map(({ facet, name, choices }) => {
      const list = this.#createList(name);
      for (const { value, name: text } of choices) {
        list.append(this.#createBox(`${facet} ${value}`, text, () => this.#toggle(facet, value)));
      }
      return list;
    });
    this.#lists.replaceChildren(...elements, more);
  }

  /** @param {string} name */
  #createList(name) {
    const list = createElement("fieldset", "filter-panel__list");
    list.append(createElement("legend", "filter-panel__name", name));
    return list;
  }

  /**
   * @param {string} key
   * @param {string} text
   * @param {() => void} toggle
   */
  #createBox(key, text, toggle) {
    const label = createElement("label", "filter-panel__choice");
    const input = createElement("input");
    input.type = "checkbox";
    input.name = key;
    input.addEventListener("change", toggle);
    const count = createElement("span", "filter-panel__count");
    label.append(input, createElement("span", "", text), count);
    this.#boxes.set(key, { input, count, label });
    return label;
  }

  /**
   * @param {string} key
   * @param {number} number
   * @param {boolean} isChosen
   */
  #fill(key, number, isChosen) {
    const box = this.#boxes.get(key);
    if (box) {
      box.input.checked = isChosen;
      setText(box.count, Number.isNaN(number) ? "–" : formatCount(number));
      box.label.classList.toggle("filter-panel__choice--empty", number === 0 && !isChosen);
    }
  }

  /**
   * @param {ListFacet} facet
   * @param {string} value
   */
  #toggle(facet, value) {
    if (this.#view) {
      this.#setView(toggleValue(this.#view, facet, value));
    }
  }

  /** @param {SwitchFacet} facet */
  #toggleSwitch(facet) {
    if (this.#view) {
      this.#setView({ ...this.#view, [facet]: !this.#view[facet] });
    }
  }
}

// Below the list: the number of shown screenshots, and an offer to move decided ones down.

import { createButton, createElement, setText } from "./dom.js";
import { countOf, formatCount } from "./model/names.js";

export class ListFoot {
  element = createElement("div", "navigator__foot");
  #summary = createElement("span", "navigator__summary");
  #arrange;

  /** @param {() => void} arrange */
  constructor(arrange) {
    this.#summary.role = "status";
    this.#arrange = createButton("", "button button--quiet button--small", arrange);
    this.#arrange.hidden = true;
    this.element.append(this.#summary, this.#arrange);
  }

  /**
   * @param {number} stories
   * @param {number} screenshots
   */
  showCounts(stories, screenshots) {
    const inStories = stories === 1 ? "1 story" : `${formatCount(stories)} stories`;
    setText(this.#summary, `${countOf(screenshots, "screenshot")} in ${inStories}`);
  }

  /** @param {number} misplaced */
  showMisplaced(misplaced) {
    this.#arrange.hidden = misplaced === 0;
    setText(this.#arrange, `${formatCount(misplaced)} decided, move them down`);
  }
}

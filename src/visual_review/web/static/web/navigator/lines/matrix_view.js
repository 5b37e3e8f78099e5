// The small cells of a story, one for each of the story's variants. Screen readers get the line's
// label instead.

/** @import { Cell } from "../model/matrix.js" */

import { createElement } from "../dom.js";
import { nameVariant } from "../model/matrix.js";
import { DEVICES, STATE_NAMES, THEMES } from "../model/names.js";

export class MatrixView {
  element = createElement("span", "matrix");
  #cells = Array.from({ length: THEMES.length * DEVICES.length }, () => {
    const cell = createElement("span", "matrix__cell");
    cell.append(createElement("span", "icon"));
    return cell;
  });

  constructor() {
    this.element.ariaHidden = "true";
    this.element.append(...this.#cells);
  }

  /**
   * @param {readonly Cell[]} cells
   * @param {string | null} current
   */
  show(cells, current) {
    const columns = new Set(cells.map(({ device }) => device)).size;
    this.element.style.setProperty("--columns", String(columns));
    this.#cells.forEach((element, index) => {
      const cell = cells[index];
      element.hidden = !cell;
      if (cell) {
        showCell(element, cell, current);
      }
    });
  }
}

/**
 * @param {HTMLElement} element
 * @param {Cell} cell
 * @param {string | null} current
 */
function showCell(element, cell, current) {
  const { screenshot } = cell;
  const mark = screenshot?.decision || screenshot?.state || "none";
  element.className = `matrix__cell matrix__cell--${mark}`;
  element.classList.toggle("matrix__cell--other", screenshot !== null && !cell.belongs);
  element.classList.toggle("matrix__cell--current", screenshot !== null && screenshot.id === current);
  element.classList.add(`matrix__cell--in-${cell.theme}`);
  element.firstElementChild?.setAttribute("class", `icon icon--${mark}`);
  if (screenshot) {
    element.dataset["screenshotId"] = screenshot.id;
    const decision = screenshot.decision ? `, ${screenshot.decision}` : "";
    element.title = `${nameVariant(cell)}: ${STATE_NAMES[screenshot.state].toLowerCase()}${decision}`;
  } else {
    delete element.dataset["screenshotId"];
    element.removeAttribute("title");
  }
}

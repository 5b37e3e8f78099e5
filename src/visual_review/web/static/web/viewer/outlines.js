// The outlines of changes above one pane, as SVG: sharp at every zoom, and styled by tokens.

/** @import { Box, Change, Point } from "./types.js" */
/** @import { Arrow, Mark } from "./marks.js" */

import { makeSvg, setAll } from "./dom.js";
import { planArrows, planMarks } from "./marks.js";

let count = 0;

/**
 * @typedef {object} OutlineInput
 * @property {readonly Change[]} changes
 * @property {readonly Box[]} regions
 * @property {"before" | "after" | "both"} side
 * @property {number} current
 * @property {number} zoom
 * @property {Point} origin
 */

export class Outlines {
  #group = makeSvg("g");
  #key = "";
  /** @type {readonly Change[] | null} */
  #changes = null;

  constructor() {
    count += 1;
    const [hatch, arrow] = [`hatch-${count}`, `arrow-${count}`];
    this.element = makeSvg(
      "svg",
      { class: "outlines", "aria-hidden": "true" },
      makeSvg("defs", {}, makeHatch(hatch), makeArrowhead(arrow)),
      this.#group,
    );
    this.hatch = `url(#${hatch})`;
    this.arrow = `url(#${arrow})`;
  }

  /** @param {OutlineInput} input */
  update(input) {
    const key = [input.side, input.current, input.zoom, input.regions.length].join();
    if (key !== this.#key || input.changes !== this.#changes) {
      this.#key = key;
      this.#changes = input.changes;
      this.#rebuild(input);
    }
    this.#group.setAttribute("transform", `translate(${input.origin.x} ${input.origin.y})`);
  }

  /** @param {OutlineInput} input */
  #rebuild({ changes, regions, side, current, zoom }) {
    const marks = planMarks(changes, regions, side, zoom);
    const arrows = planArrows(changes, side, zoom);
    // The current one is above the others.
    const ordered = marks.toSorted((one, other) => rank(one, current) - rank(other, current));
    this.#group.replaceChildren(
      ...ordered.flatMap((mark) => this.#makeMark(mark, mark.index === current)),
      ...arrows.flatMap((arrow) => this.#makeArrow(arrow, arrow.index === current)),
    );
  }

  /**
   * @param {Mark} mark
   * @param {boolean} isCurrent
   */
  #makeMark({ type, box }, isCurrent) {
    const name = `mark mark-${type}${isCurrent ? " mark-current" : ""}`;
    const place = { ...box, rx: type === "region" ? 0 : 3 };
    if (type === "region") {
      return [makeSvg("rect", { ...place, class: name, fill: this.hatch })];
    }
    return [
      makeSvg("rect", { ...place, class: `halo${isCurrent ? " mark-current" : ""}` }),
      makeSvg("rect", { ...place, class: name }),
    ];
  }

  /**
   * @param {Arrow} arrow
   * @param {boolean} isCurrent
   */
  #makeArrow({ from, to }, isCurrent) {
    const place = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    const name = isCurrent ? " mark-current" : "";
    const line = makeSvg("line", { ...place, class: `arrow${name}` });
    setAll(line, { "marker-end": this.arrow });
    return [makeSvg("line", { ...place, class: `halo${name}` }), line];
  }
}

/**
 * @param {Mark} mark
 * @param {number} current
 */
function rank(mark, current) {
  return mark.type === "region" ? 0 : mark.index === current ? 2 : 1;
}

/** @param {string} id */
function makeHatch(id) {
  return makeSvg(
    "pattern",
    { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    makeSvg("rect", { width: 4, height: 8, class: "hatch" }),
    makeSvg("rect", { x: 4, width: 4, height: 8, class: "hatch-other" }),
  );
}

/** @param {string} id */
function makeArrowhead(id) {
  return makeSvg(
    "marker",
    { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto" },
    makeSvg("path", { d: "M0 0 8 4 0 8z", class: "arrowhead" }),
  );
}

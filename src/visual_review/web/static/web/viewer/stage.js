// The place of the images: one or two panes, the divider, the map and the magnifier.

/** @import { Point, Side, Size } from "./types.js" */
/** @import { PanePlan } from "./pane_layout.js" */
/** @import { Scene } from "./pane.js" */

import { toImage } from "./camera.js";
import { Divider } from "./divider.js";
import { make, setText } from "./dom.js";
import { Magnifier } from "./magnifier.js";
import { Minimap } from "./minimap.js";
import { needsMinimap } from "./minimap_geometry.js";
import { Pane } from "./pane.js";
import { isStacked } from "./pane_layout.js";

/**
 * @typedef {object} StageCommands
 * @property {(sides: Side[]) => void} retry
 * @property {(position: number) => void} moveDivider
 * @property {(point: Point) => void} centerOn
 * @property {() => void} redraw
 */

export class Stage {
  #help = make("p", { class: "visually-hidden", id: "help" });
  panes = make("div", {
    class: "panes",
    role: "application",
    tabindex: "0",
    "aria-describedby": "help",
  });
  magnifier = new Magnifier();
  /** @type {{at: Point, event: {clientX: number, clientY: number}} | null} */
  hovered = null;

  /** @param {StageCommands} commands */
  constructor(commands) {
    this.divider = new Divider(commands.moveDivider);
    this.minimap = new Minimap(commands.centerOn, commands.redraw);
    this.all = [new Pane(commands.retry), new Pane(commands.retry)];
    this.panes.append(...this.all.map((pane) => pane.element));
    setText(
      this.#help,
      "Arrow keys move the image, plus and minus zoom, 0 shows it at 100 %, Home and End go to its top and bottom.",
    );
    this.area = make("div", { class: "area" }, this.panes, this.divider.element);
    this.element = make(
      "div",
      { class: "stage", part: "stage" },
      this.area,
      this.minimap.element,
      this.magnifier.element,
      this.#help,
    );
  }

  /**
   * Set the layout for the next content, and return the size of each view.
   *
   * @param {Size} content
   * @param {PanePlan[]} plans
   * @returns {Size}
   */
  arrange(content, plans) {
    const frame = { width: this.element.clientWidth, height: this.element.clientHeight };
    const stacked = plans.length > 1 && isStacked(frame, content);
    this.panes.classList.toggle("stacked", stacked);
    this.panes.classList.toggle("double", plans.length > 1 && !stacked);
    this.all.forEach((pane, index) => {
      pane.element.hidden = index >= plans.length;
    });
    this.divider.element.hidden = plans[0]?.blend !== "divider";
    // The map takes room from the view, so the view without the map decides.
    this.minimap.element.hidden = true;
    const hasMap = plans[0]?.sides.length !== 0 && needsMinimap(this.#viewSize(), content);
    this.minimap.element.hidden = !hasMap;
    this.element.classList.toggle("with-map", hasMap);
    return this.#viewSize();
  }

  /**
   * @param {PanePlan[]} plans
   * @param {Scene} scene
   */
  render(plans, scene) {
    plans.forEach((plan, index) => this.all[index]?.render(plan, scene));
    this.divider.update(scene.divider);
    if (!this.minimap.element.hidden) {
      const shown = plans.at(-1)?.sides.at(-1);
      this.minimap.render({
        ...scene,
        image: shown ? (scene.entryOf(shown)?.image ?? null) : null,
        content: contentOf(scene),
        view: scene.size,
      });
    }
  }

  /**
   * Enlarge the part below the pointer, or in the middle.
   *
   * @param {Scene} scene
   * @param {boolean} isOn
   */
  renderMagnifier(scene, isOn) {
    this.magnifier.element.hidden = !isOn;
    if (!isOn) {
      return;
    }
    const middle = { x: scene.size.width / 2, y: scene.size.height / 2 };
    const images = {
      before: scene.entryOf("before")?.image ?? null,
      after: scene.entryOf("after")?.image ?? null,
    };
    this.magnifier.render(images, toImage(scene.camera, scene.size, this.hovered?.at ?? middle));
    const frame = this.element.getBoundingClientRect();
    const pointer = this.hovered
      ? { x: this.hovered.event.clientX - frame.x, y: this.hovered.event.clientY - frame.y }
      : middle;
    this.magnifier.moveTo(pointer, frame);
  }

  /** @returns {Size} */
  #viewSize() {
    const view = this.all[0]?.view;
    return { width: view?.clientWidth ?? 0, height: view?.clientHeight ?? 0 };
  }
}

/** @param {Scene} scene @returns {Size} */
function contentOf({ input }) {
  const sides = [input.before, input.after, input.diff].filter((side) => side !== null);
  return {
    width: Math.max(1, ...sides.map((side) => side.width)),
    height: Math.max(1, ...sides.map((side) => side.height)),
  };
}

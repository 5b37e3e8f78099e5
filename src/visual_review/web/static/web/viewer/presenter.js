// Draws the viewer: its bars, its panes, and the elements above them.

/** @import { Change, ViewerInput, ViewerState } from "./types.js" */
/** @import { Blinker } from "./blinker.js" */
/** @import { CameraControl } from "./camera_control.js" */
/** @import { ChangeBar } from "./change_bar.js" */
/** @import { Entry, ImageStore } from "./image_store.js" */
/** @import { PaletteProbe } from "./palette.js" */
/** @import { Scene } from "./pane.js" */
/** @import { PanePlan } from "./pane_layout.js" */
/** @import { Stage } from "./stage.js" */
/** @import { Toolbar } from "./toolbar.js" */

import { describeState } from "./change_list.js";
import { hasBothSides } from "./pane_layout.js";
import { MODE_NAMES } from "./toolbar.js";

/**
 * @typedef {object} PresentedImage
 * @property {ViewerInput | null} input
 * @property {ViewerState} state
 * @property {readonly Change[]} changes
 * @property {{seen: number, total: number}} seen Parts that have been in view.
 * @property {number} current
 * @property {PanePlan[]} plans
 */

export class Presenter {
  /**
   * @param {{toolbar: Toolbar, bar: ChangeBar, stage: Stage, palette: PaletteProbe}} parts
   * @param {{control: CameraControl, store: ImageStore, blinker: Blinker}} sources
   * @param {() => void} onSharper Called when drawing again is worthwhile.
   */
  constructor(parts, sources, onSharper) {
    this.parts = parts;
    this.sources = sources;
    this.onSharper = onSharper;
  }

  /** @param {PresentedImage} shown */
  draw(shown) {
    const { input, changes, current, plans, seen, state } = shown;
    const { bar, stage } = this.parts;
    this.#updateToolbar(shown);
    bar.update(changes, current, seen, input ? describeState(input) : "");
    const { view } = this.sources.control;
    if (!input || view.width <= 0 || view.height <= 0) {
      return;
    }
    const scene = this.#compose(input, shown);
    const name = hasBothSides(input) ? MODE_NAMES[state.mode] : plans[0]?.title;
    stage.panes.setAttribute("aria-label", `${input.label}, ${name}`);
    stage.render(plans, scene);
    stage.renderMagnifier(scene, state.magnifier);
    this.#sharpen(scene, plans);
  }

  /** @param {PresentedImage} shown */
  #updateToolbar({ input, state }) {
    const { blinker, control } = this.sources;
    this.parts.toolbar.update({
      ...state,
      hasModes: input !== null && hasBothSides(input),
      zoom: control.camera.zoom,
      isPaused: blinker.isPaused,
      blinking: blinker.side,
    });
  }

  /**
   * @param {ViewerInput} input
   * @param {PresentedImage} shown
   * @returns {Scene}
   */
  #compose(input, { state, changes, current }) {
    const { control, store } = this.sources;
    return {
      ...state,
      input,
      changes,
      current,
      camera: control.camera,
      size: control.view,
      ratio: devicePixelRatio || 1,
      palette: this.parts.palette.read(),
      entryOf: (side) => store.entry(input[side]),
    };
  }

  /**
   * Have the copies made that a small scale needs.
   *
   * @param {Scene} scene
   * @param {PanePlan[]} plans
   */
  #sharpen({ camera, ratio, entryOf }, plans) {
    const scale = camera.zoom * ratio;
    const sides = plans.flatMap((plan) => plan.sides);
    const entries = /** @type {Entry[]} */ (sides.flatMap((side) => entryOf(side) ?? []));
    for (const { image } of entries) {
      if (image && !image.isPrepared(scale)) {
        void image.prepare(scale).then(this.onSharper);
      }
    }
  }
}

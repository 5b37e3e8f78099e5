// The toolbar: modes, zoom, highlights and magnifier, and the controls of the current mode.

/** @import { Mode } from "./types.js" */
/** @import { IconName } from "./icons.js" */
/** @import { ZoomCommand } from "./zoom_select.js" */

import { formatZoom } from "./camera.js";
import { make, setText } from "./dom.js";
import { makeIcon } from "./icons.js";
import { OneTabStop } from "./one_tab_stop.js";
import { ZoomSelect } from "./zoom_select.js";
import { MODES, isMode } from "./view_state.js";

/** @type {Readonly<Record<Mode, string>>} */
export const MODE_NAMES = {
  "side-by-side": "Side by side",
  overlay: "Overlay",
  swipe: "Swipe",
  blink: "Blink",
  difference: "Difference",
};

/**
 * @typedef {object} ToolbarCommands
 * @property {(mode: Mode) => void} setMode
 * @property {(command: ZoomCommand) => void} zoom
 * @property {() => void} toggleHighlights
 * @property {() => void} toggleMagnifier
 * @property {(opacity: number) => void} setOpacity
 * @property {(isHeld: boolean) => void} hold
 * @property {() => void} toggleBlinking
 * @property {() => void} swapSides
 */

/**
 * @typedef {object} ToolbarView
 * @property {Mode} mode
 * @property {boolean} hasModes Whether there are two sides to compare.
 * @property {number} zoom
 * @property {boolean} highlights
 * @property {boolean} magnifier
 * @property {number} opacity
 * @property {boolean} isPaused
 * @property {"before" | "after"} blinking
 */

export class Toolbar {
  /** @type {Map<Mode, HTMLButtonElement>} */
  #modes = new Map();
  #modeSelect = make("select", { class: "narrow mode-select", "aria-label": "View" });
  #zoom = new ZoomSelect((command) => this.commands.zoom(command));
  #opacity = make("input", { type: "range", min: "0", max: "100", "aria-label": "Opacity of after" });
  #opacityControl = make("label", { class: "mode-control", hidden: "" }, "Before", this.#opacity, "After");
  #pause = makeTextButton("");
  #swap = makeTextButton("");
  #blinkControl = make("span", { class: "mode-control", hidden: "" }, this.#pause, this.#swap);

  #hold = makeButton("before", "Hold to see before", () => {});
  #focus;
  #key = "";

  /** @param {ToolbarCommands} commands */
  constructor(commands) {
    this.commands = commands;
    this.#hold.classList.add("spare");
    this.highlights = makeButton("highlights", "Highlight changes", commands.toggleHighlights);
    this.highlights.classList.add("spare");
    this.magnifier = makeButton("magnifier", "Magnifier", commands.toggleMagnifier);
    this.magnifier.classList.add("spare");
    this.element = make(
      "div",
      { class: "toolbar", part: "toolbar", role: "toolbar", "aria-label": "View of the screenshot" },
      make("div", { class: "mode-controls" }, this.#opacityControl, this.#blinkControl),
      this.#makeModes(),
      this.#modeSelect,
      make(
        "div",
        { class: "group spare", role: "group", "aria-label": "Zoom" },
        makeButton("zoom-out", "Zoom out", () => commands.zoom("out")),
        this.#zoom.element,
        makeButton("zoom-in", "Zoom in", () => commands.zoom("in")),
      ),
      make("div", { class: "group" }, this.#hold, this.highlights, this.magnifier),
    );
    this.#focus = new OneTabStop(this.element);
    this.#listen();
  }

  /** @param {ToolbarView} view */
  update(view) {
    // A movement of the camera draws sixty times a second, and mostly changes nothing here.
    const key = Object.values({ ...view, zoom: formatZoom(view.zoom) }).join();
    if (key === this.#key) {
      return;
    }
    this.#key = key;
    for (const [mode, button] of this.#modes) {
      button.setAttribute("aria-pressed", String(mode === view.mode && view.hasModes));
      button.disabled = !view.hasModes;
    }
    this.#modeSelect.value = view.mode;
    this.#modeSelect.disabled = !view.hasModes;
    this.#zoom.update(view.zoom);
    this.highlights.setAttribute("aria-pressed", String(view.highlights));
    this.magnifier.setAttribute("aria-pressed", String(view.magnifier));
    this.#opacityControl.hidden = !view.hasModes || view.mode !== "overlay";
    this.#opacity.value = String(Math.round(view.opacity * 100));
    this.#hold.disabled = !view.hasModes;
    this.#blinkControl.hidden = !view.hasModes || view.mode !== "blink";
    this.#focus.update();
    setText(this.#pause, view.isPaused ? "Start" : "Pause");
    setText(this.#swap, view.blinking === "before" ? "Show after" : "Show before");
  }

  #makeModes() {
    const group = make("div", { class: "group segmented wide", role: "group", "aria-label": "View" });
    for (const mode of MODES) {
      const button = makeButton(mode, MODE_NAMES[mode], () => this.commands.setMode(mode));
      this.#modes.set(mode, button);
      group.append(button);
      this.#modeSelect.append(make("option", { value: mode }, MODE_NAMES[mode]));
    }
    return group;
  }

  #listen() {
    this.#modeSelect.addEventListener("change", () => {
      const { value } = this.#modeSelect;
      if (isMode(value)) {
        this.commands.setMode(value);
      }
    });
    this.#opacity.addEventListener("input", () => {
      this.commands.setOpacity(Number(this.#opacity.value) / 100);
    });
    for (const name of ["pointerdown", "pointerup", "pointerleave", "pointercancel", "keydown", "keyup", "blur"]) {
      this.#hold.addEventListener(name, (event) => {
        const isKey = event instanceof KeyboardEvent;
        if (!isKey || event.key === " " || event.key === "Enter") {
          this.commands.hold(name === "pointerdown" || name === "keydown");
        }
      });
    }
    this.#pause.addEventListener("click", this.commands.toggleBlinking);
    this.#swap.addEventListener("click", this.commands.swapSides);
  }
}

/**
 * @param {IconName} icon
 * @param {string} label
 * @param {() => void} onClick
 */
export function makeButton(icon, label, onClick) {
  const attributes = { type: "button", "aria-label": label, title: label };
  const button = make("button", attributes, makeIcon(icon));
  button.addEventListener("click", onClick);
  return button;
}

/** @param {string} text */
function makeTextButton(text) {
  return make("button", { type: "button", class: "text-button" }, text);
}

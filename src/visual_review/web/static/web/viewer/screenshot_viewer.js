// The custom element <screenshot-viewer>: two images of one screenshot, and their differences.

/** @import { Mode, Point, Side, ViewerInput, ViewerState } from "./types.js" */
/** @import { PanePlan } from "./pane_layout.js" */
/** @import { Entry } from "./image_store.js" */

import { INPUT_ATTRIBUTES, areSizesKnown, inputFromAttributes, withMeasuredSizes } from "./attributes.js";
import { Blinker } from "./blinker.js";
import { CameraControl } from "./camera_control.js";
import { toImage } from "./camera.js";
import { ChangeBar } from "./change_bar.js";
import { ChangeCursor } from "./change_cursor.js";
import { changesOf, contentSize } from "./change_list.js";
import { make } from "./dom.js";
import { loadImage } from "./image_loader.js";
import { ImageReports } from "./image_reports.js";
import { ImageStore } from "./image_store.js";
import { listenToKeys } from "./keyboard.js";
import { PaletteProbe } from "./palette.js";
import { hasBothSides, planPanes } from "./pane_layout.js";
import { Presenter } from "./presenter.js";
import { PointerInput } from "./pointer_input.js";
import { sidesToLoad, sidesToPrefetch, sourcesOf } from "./sources.js";
import { Stage } from "./stage.js";
import { makeStyleSheet } from "./styles.js";
import { Toolbar } from "./toolbar.js";
import { DEFAULT_STATE, isMode, modeAfter } from "./view_state.js";

/** How near a click has to be to an outline, in pixels of the screen. */
const REACH = 6;
/** Reports of a movement wait until the movement is over. */
const SETTLED_MILLISECONDS = 200;

const sheet = makeStyleSheet();

export class ScreenshotViewer extends HTMLElement {
  static observedAttributes = ["mode", ...INPUT_ATTRIBUTES];

  /** @type {ViewerInput | null} */
  #input = null;
  /** @type {ViewerState} */
  #state = { ...DEFAULT_STATE };
  /** @type {PanePlan[]} */
  #plans = [];
  /** A place that a link asked for, until the first screenshot has opened there. */
  #hasPlace = false;
  #isOpened = false;
  #isPainted = false;
  #isHeld = false;
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #report;
  #reports = new ImageReports();
  #control = new CameraControl(() => this.#moved());
  #cursor = new ChangeCursor(this.#control);
  #store = new ImageStore(loadImage, (entry) => this.#settled(entry));
  #palette = new PaletteProbe(() => this.#redraw());
  #blinker = new Blinker(() => this.#rearrange());
  #resizes = new ResizeObserver(() => this.#rearrange());
  #bar = new ChangeBar((direction) => this.#step(direction));
  #stage = new Stage({
    retry: (sides) => this.#retry(sides),
    moveDivider: (divider) => this.#change({ divider }),
    centerOn: (point) => this.#control.centerOn(point),
    redraw: () => this.#redraw(),
  });
  #toolbar = new Toolbar({
    setMode: (mode) => this.setMode(mode),
    zoom: (command) => this.#control.zoom(command, this.#cursor.current),
    toggleHighlights: () => this.toggleHighlights(),
    toggleMagnifier: () => this.toggleMagnifier(),
    setOpacity: (opacity) => this.#change({ opacity }),
    hold: (isHeld) => this.hold(isHeld),
    toggleBlinking: () => this.#blinker.togglePause(),
    swapSides: () => this.#blinker.swapByHand(),
  });

  #presenter = new Presenter(
    { toolbar: this.#toolbar, bar: this.#bar, stage: this.#stage, palette: this.#palette },
    { control: this.#control, store: this.#store, blinker: this.#blinker },
    () => this.#redraw(),
  );

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.#toolbar.element.append(this.#bar.buttons);
    const bar = make("div", { class: "bar", part: "bar" }, make("slot", { name: "title" }), this.#toolbar.element);
    root.append(make("div", { class: "viewer" }, bar, this.#stage.element, this.#bar.element), this.#palette.element);
    listenToKeys(this.#stage.panes, {
      view: () => this.#control.view,
      pan: (dx, dy) => this.#control.pan(dx, dy),
      zoom: (command) => this.#control.zoom(command, this.#cursor.current),
      swap: () => this.#state.mode === "blink" && this.#blinker.swapByHand(),
    });
    new PointerInput(this.#stage.panes, {
      pan: (dx, dy) => this.#control.pan(dx, dy),
      zoom: (point, factor) => this.#control.zoomBy(point, factor),
      choose: (point) => this.#chooseAt(point),
      enlarge: (point) => this.#control.enlargeAt(point),
      swipe: (direction) => this.#emit("viewerswipe", { direction }),
      edges: () => this.#control.edges,
      hover: (at, event) => this.#hover(at, event),
    });
  }

  connectedCallback() {
    this.#palette.connect();
    this.#resizes.observe(this.#stage.element);
    this.#rearrange();
  }

  disconnectedCallback() {
    this.#palette.disconnect();
    this.#resizes.disconnect();
    this.#blinker.update(false);
    this.#store.clear();
    cancelAnimationFrame(this.#frame);
  }

  /**
   * @param {string} name
   * @param {string | null} _before
   * @param {string | null} value
   */
  attributeChangedCallback(name, _before, value) {
    if (name !== "mode") {
      this.screenshot = inputFromAttributes((attribute) => this.getAttribute(attribute));
    } else if (isMode(value)) {
      this.setMode(value);
    }
  }

  /** The shown screenshot; another one shows its label, sizes and a loading state at once. */
  get screenshot() {
    return this.#input;
  }

  set screenshot(input) {
    const isSame = input !== null && input.id === this.#input?.id;
    this.#input = input;
    this.#cursor.open(input ? changesOf(input) : [], isSame);
    // Later changes are opened as well, unless the person has gone elsewhere.
    this.#isOpened &&= isSame && this.#control.fit !== "change";
    if (!isSame) {
      this.#blinker.side = "after";
      this.#reports.clear();
    }
    this.#rearrange();
    this.#emit("viewerchange", this.#cursor.position);
  }

  /** Whether all images that the view needs have been drawn: both sides, where there are two. */
  get isPainted() {
    return this.#isPainted;
  }

  /** The state as one small object; setting it reports nothing. */
  get state() {
    const { camera, fit } = this.#control;
    return { ...this.#state, fit, ...camera };
  }

  set state(state) {
    this.#state = { ...DEFAULT_STATE, ...state };
    this.#hasPlace = this.#state.fit !== "change";
    this.#isOpened = false;
    this.#rearrange();
  }

  showNextChange() {
    this.#step(1);
  }

  showPreviousChange() {
    this.#step(-1);
  }

  /** @param {Mode} mode */
  setMode(mode) {
    this.#state = { ...this.#state, mode };
    this.#rearrange();
    this.#reportState();
  }

  nextMode() {
    this.setMode(modeAfter(this.#state.mode));
  }

  zoomIn() {
    this.#control.step(1);
  }

  zoomOut() {
    this.#control.step(-1);
  }

  fitWidth() {
    this.#control.fitWidth();
  }

  fitChange() {
    this.#control.fitChange(this.#cursor.current);
  }

  showActualSize() {
    this.#control.showActualSize();
  }

  /**
   * Show before in the place of after while a key or a button is held.
   *
   * @param {boolean} isHeld
   */
  hold(isHeld) {
    if (this.#isHeld !== isHeld) {
      this.#isHeld = isHeld;
      this.#rearrange();
    }
  }

  /** Put the focus on the image, which the arrow keys then move. */
  focusImage() {
    this.#stage.panes.focus();
  }

  toggleHighlights() {
    this.#change({ highlights: !this.#state.highlights });
  }

  toggleMagnifier() {
    this.#change({ magnifier: !this.#state.magnifier });
  }

  /**
   * Load and decode the screenshots that probably come next, as far as memory allows.
   *
   * @param {readonly ViewerInput[]} inputs The next one first.
   */
  prefetch(inputs) {
    const sides = sidesToPrefetch(this.#state.mode);
    this.#store.prefetch(inputs.flatMap((input) => sourcesOf(input, sides)));
  }

  /** Lay out and draw at once, so that no other screenshot's image is below the new label. */
  #rearrange() {
    const input = this.#input;
    this.#stage.element.toggleAttribute("hidden", input === null);
    if (!this.isConnected || !input) {
      this.#store.show([]);
      // At once: a key may be pressed before the next frame.
      this.#setPainted(false);
      this.#redraw();
      return;
    }
    this.#plans = planPanes(input, this.#state.mode, this.#blinker.side, this.#isHeld);
    this.#store.show(sourcesOf(input, sidesToLoad(input, this.#plans, this.#state)));
    this.#blinker.update(this.#state.mode === "blink" && hasBothSides(input));
    this.#control.resize(this.#stage.arrange(contentSize(input), this.#plans));
    this.#open(input);
    this.#draw();
  }

  /** @param {ViewerInput} input */
  #open(input) {
    const { view } = this.#control;
    if (this.#isOpened || view.width <= 0 || view.height <= 0) {
      return;
    }
    const content = contentSize(input);
    this.#control.open(content, this.#cursor.partsOf(input, content), this.#hasPlace ? this.#state : null);
    // Without sizes, the screenshot opens once more when the sizes are known.
    this.#isOpened = areSizesKnown(input) && (input.before ?? input.after) !== null;
    this.#hasPlace &&= !this.#isOpened;
  }

  #redraw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#presenter.draw({
      input: this.#input,
      state: this.#state,
      changes: this.#cursor.changes,
      seen: this.#cursor.countSeen(),
      current: this.#cursor.index,
      plans: this.#plans,
    });
    const input = this.#input;
    const isVisible = input !== null && this.#control.view.width > 0;
    this.#setPainted(isVisible && this.#store.areReady(sourcesOf(input, sidesToLoad(input, this.#plans, this.#state))));
    if (isVisible) {
      // After painting: a listener may look at the image now.
      this.#reports
        .collect(input, this.#plans, (side) => this.#store.entry(input[side]))
        .forEach((report) => this.#emit("viewerimage", report));
      if (this.#isPainted && this.#cursor.look()) {
        this.#emit("viewerseen", { id: input.id, ...this.#cursor.countSeen() });
        this.#redraw();
      }
    }
  }

  /** @param {boolean} isPainted */
  #setPainted(isPainted) {
    if (isPainted !== this.#isPainted) {
      this.#isPainted = isPainted;
      this.#emit("viewerpainted", { isPainted });
    }
  }

  /** @param {Entry} entry */
  #settled(entry) {
    const input = this.#input;
    if (!input || !entry.isShown) {
      return;
    }
    if (!areSizesKnown(input)) {
      this.#input = withMeasuredSizes(input, (source) => this.#store.entry(source)?.image ?? null);
      this.#rearrange();
    }
    this.#redraw();
  }

  /** @param {Side[]} sides */
  #retry(sides) {
    for (const source of this.#input ? sourcesOf(this.#input, sides) : []) {
      this.#store.retry(source);
    }
    this.#redraw();
  }

  #moved() {
    this.#redraw();
    this.#reportState();
  }

  /** @param {Partial<ViewerState>} part */
  #change(part) {
    this.#state = { ...this.#state, ...part };
    if ("magnifier" in part) {
      this.#rearrange();
    }
    this.#redraw();
    this.#reportState();
  }

  #reportState() {
    clearTimeout(this.#report);
    this.#report = setTimeout(() => this.#emit("viewerstate", this.state), SETTLED_MILLISECONDS);
  }

  /** @param {1 | -1} direction */
  #step(direction) {
    this.#control.finish();
    this.#draw();
    if (this.#cursor.step(direction)) {
      this.#redraw();
      this.#emit("viewerchange", this.#cursor.position);
    }
  }

  /** @param {Point} point In pixels of the view. */
  #chooseAt(point) {
    const { camera, view } = this.#control;
    const place = toImage(camera, view, point);
    this.#emit("viewertap", place);
    if (this.#cursor.chooseAt(place, REACH / camera.zoom)) {
      this.#redraw();
      this.#emit("viewerchange", this.#cursor.position);
    }
  }

  /**
   * @param {Point | null} at
   * @param {PointerEvent} event
   */
  #hover(at, event) {
    this.#stage.hovered = at && { at, event };
    if (this.#state.magnifier) {
      this.#redraw();
    }
  }

  /**
   * @param {string} name
   * @param {object} detail
   */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

customElements.define("screenshot-viewer", ScreenshotViewer);

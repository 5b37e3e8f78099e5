// Turns pointers and wheels above the images into movements of the camera.

/** @import { Point } from "./types.js" */

import { pinch, swipeDirection, wheelDistance, zoomFactor } from "./gestures.js";

/**
 * Points are in pixels of the view below the pointer. `pan` and `zoom` return whether anything
 * moved: if not, the page may scroll.
 *
 * @typedef {object} PointerCommands
 * @property {(dx: number, dy: number) => boolean} pan
 * @property {(point: Point, factor: number) => boolean} zoom
 * @property {(point: Point) => void} choose
 * @property {(point: Point) => void} enlarge
 * @property {(direction: 1 | -1) => void} swipe
 * @property {() => {left: boolean, right: boolean}} edges The sides at which there is nothing more to show.
 * @property {(point: Point | null, event: PointerEvent) => void} hover
 */

const LONGEST_TAP = 5;

export class PointerInput {
  /** @type {Map<number, Point>} */
  #points = new Map();
  /** @type {Element | null} */
  #view = null;
  #start = { x: 0, y: 0, time: 0, isTouch: false, edges: { left: false, right: false } };
  #moved = 0;
  #wasPinch = false;

  /**
   * @param {HTMLElement} area
   * @param {PointerCommands} commands
   */
  constructor(area, commands) {
    this.area = area;
    this.commands = commands;
    area.addEventListener("pointerdown", (event) => this.#press(event));
    area.addEventListener("pointermove", (event) => this.#move(event));
    area.addEventListener("pointerup", (event) => this.#release(event, true));
    area.addEventListener("pointercancel", (event) => this.#release(event, false));
    area.addEventListener("pointerleave", (event) => commands.hover(null, event));
    area.addEventListener("dblclick", (event) => this.#double(event));
    area.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const view = viewBelow(event);
    if (!view || event.button > 0) {
      return;
    }
    this.area.setPointerCapture(event.pointerId);
    this.#points.set(event.pointerId, pointOf(event));
    this.#view = view;
    this.#wasPinch = this.#points.size > 1;
    if (this.#points.size === 1) {
      const isTouch = event.pointerType === "touch";
      const edges = this.commands.edges();
      this.#start = { ...pointOf(event), time: event.timeStamp, isTouch, edges };
      this.#moved = 0;
    }
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#points.get(event.pointerId);
    if (!before) {
      const view = viewBelow(event);
      this.commands.hover(view ? pointIn(view, event) : null, event);
      return;
    }
    const others = [...this.#points].filter(([id]) => id !== event.pointerId);
    const after = pointOf(event);
    this.#points.set(event.pointerId, after);
    const other = others[0]?.[1];
    if (other) {
      this.#pinch([before, other], [after, other]);
      return;
    }
    this.#moved = Math.max(this.#moved, distance(this.#start, after));
    if (this.#moved > LONGEST_TAP) {
      this.area.classList.add("dragging");
      this.commands.pan(after.x - before.x, after.y - before.y);
    }
  }

  /**
   * @param {readonly [Point, Point]} before
   * @param {readonly [Point, Point]} after
   */
  #pinch(before, after) {
    const { factor, center, dx, dy } = pinch(before, after);
    if (this.#view) {
      const frame = this.#view.getBoundingClientRect();
      this.commands.pan(dx, dy);
      this.commands.zoom({ x: center.x - frame.x, y: center.y - frame.y }, factor);
    }
  }

  /**
   * @param {PointerEvent} event
   * @param {boolean} isComplete
   */
  #release(event, isComplete) {
    if (!this.#points.delete(event.pointerId) || this.#points.size > 0) {
      return;
    }
    this.area.classList.remove("dragging");
    if (!isComplete || this.#wasPinch) {
      return;
    }
    if (this.#moved <= LONGEST_TAP && this.#view) {
      this.commands.choose(pointIn(this.#view, event));
    } else if (this.#start.isTouch) {
      this.#swipe(event);
    }
  }

  /**
   * A swipe from the end of the image leads to another screenshot; any other swipe was a pan.
   *
   * @param {PointerEvent} event
   */
  #swipe(event) {
    const { x, y, time, edges } = this.#start;
    const [dx, dy] = [event.clientX - x, event.clientY - y];
    const direction = swipeDirection({ dx, dy, milliseconds: event.timeStamp - time });
    if (direction !== 0 && (direction > 0 ? edges.right : edges.left)) {
      this.commands.swipe(direction);
    }
  }

  /** @param {MouseEvent} event */
  #double(event) {
    // The area captured the pointer, so the event is the area's; a button's is the button's.
    const view = event.target === this.area ? this.#view : viewBelow(event);
    if (view) {
      this.commands.enlarge(pointIn(view, event));
    }
  }

  /** @param {WheelEvent} event */
  #turn(event) {
    const view = viewBelow(event);
    if (!view) {
      return;
    }
    const turned = wheelDistance(event);
    const hasMoved = event.ctrlKey
      ? this.commands.zoom(pointIn(view, event), zoomFactor(turned.y))
      : this.commands.pan(-turned.x, -turned.y);
    // A pinch must never zoom the page instead.
    if (hasMoved || event.ctrlKey) {
      event.preventDefault();
    }
  }
}

/** @param {Event} event */
function viewBelow(event) {
  const target = event.target;
  if (!(target instanceof Element) || target.closest("button, [role=slider]")) {
    return null;
  }
  // The title of a pane belongs to the pane's image.
  return target.closest(".pane")?.querySelector(".view") ?? null;
}

/** @param {MouseEvent} event @returns {Point} */
function pointOf(event) {
  return { x: event.clientX, y: event.clientY };
}

/**
 * @param {Element} view
 * @param {MouseEvent} event
 * @returns {Point}
 */
function pointIn(view, event) {
  const frame = view.getBoundingClientRect();
  return { x: event.clientX - frame.x, y: event.clientY - frame.y };
}

/** @param {Point} one @param {Point} other */
function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

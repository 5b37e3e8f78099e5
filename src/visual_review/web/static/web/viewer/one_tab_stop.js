// One tab stop for all controls of a toolbar: arrows move between them, as in any toolbar of ARIA.

const CONTROLS = "button:not(:disabled), select:not(:disabled)";

export class OneTabStop {
  #toolbar;
  /** @type {Element | null} */
  #current = null;

  /** @param {HTMLElement} toolbar */
  constructor(toolbar) {
    this.#toolbar = toolbar;
    toolbar.addEventListener("keydown", (event) => this.#press(event));
    toolbar.addEventListener("focusin", (event) => {
      this.#current = event.target instanceof Element ? event.target : null;
      this.update();
    });
    // With another width, other controls are shown.
    new ResizeObserver(() => this.update()).observe(toolbar);
  }

  /** Make the last focused control reachable or, without that control, the first one. */
  update() {
    const shown = this.#shown();
    const stop = shown.find((each) => each === this.#current) ?? shown[0];
    for (const each of this.#toolbar.querySelectorAll("button, select")) {
      each.setAttribute("tabindex", each === stop ? "0" : "-1");
    }
  }

  #shown() {
    const found = /** @type {NodeListOf<HTMLElement>} */ (this.#toolbar.querySelectorAll(CONTROLS));
    return [...found].filter((each) => each.checkVisibility());
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) {
      return;
    }
    const shown = this.#shown();
    const at = shown.findIndex((each) => each === event.target);
    const last = shown.length - 1;
    /** @type {Readonly<Record<string, number>>} */
    const places = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at <= 0 ? last : at - 1, Home: 0, End: last };
    const next = shown[places[event.key] ?? -1];
    if (next) {
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    }
  }
}

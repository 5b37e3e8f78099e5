// On a narrow window the list and the screenshot are shown one at a time; going back returns to the list.

const NARROW = "(width < 48rem)";

export class Panes {
  #root;
  #query = matchMedia(NARROW);
  #isFirstVisit;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    const state = /** @type {{pane?: string} | null} */ (history.state);
    this.#isFirstVisit = !state?.pane;
    root.dataset["pane"] = state?.pane ?? "list";
    if (this.#isFirstVisit) {
      history.replaceState({ pane: "list" }, "");
    }
    globalThis.addEventListener("popstate", (event) => {
      const shown = /** @type {{pane?: string} | null} */ (event.state);
      root.dataset["pane"] = shown?.pane ?? "list";
    });
  }

  get isNarrow() {
    return this.#query.matches;
  }

  get isViewerShown() {
    return this.#root.dataset["pane"] === "viewer";
  }

  /** A link to a screenshot opens the screenshot; the list is one step back. */
  followLink() {
    if (this.#isFirstVisit) {
      this.showViewer();
    }
  }

  showViewer() {
    if (!this.isNarrow || this.isViewerShown) {
      return;
    }
    history.pushState({ pane: "viewer" }, "");
    this.#root.dataset["pane"] = "viewer";
  }

  showList() {
    const state = /** @type {{pane?: string} | null} */ (history.state);
    if (state?.pane === "viewer") {
      history.back();
    } else {
      this.#root.dataset["pane"] = "list";
    }
  }
}

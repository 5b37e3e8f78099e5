// On a narrow window the list and the screenshot are shown one at a time; going back returns to the list.

const NARROW = "(width < 56.25rem)";

export class Panes {
  #root;
  #query = matchMedia(NARROW);

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    root.dataset["pane"] = "list";
    globalThis.addEventListener("popstate", (event) => {
      const state = /** @type {{pane?: string} | null} */ (event.state);
      root.dataset["pane"] = state?.pane ?? "list";
    });
  }

  get isNarrow() {
    return this.#query.matches;
  }

  get isViewerShown() {
    return this.#root.dataset["pane"] === "viewer";
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

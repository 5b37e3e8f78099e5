// The headings of sections and folders, the messages of failures, and links to remainders.

/** @import { Line } from "../model/lines.js" */
/** @import { ListContext } from "./line_view.js" */

import { createElement, createHiddenText, createIcon, createUserText, setText } from "../dom.js";
import { describeHeading, shortenMessage } from "../model/facts.js";
import { splitTitle } from "../model/folders.js";
import { nameVariant } from "../model/matrix.js";
import { formatCount } from "../model/names.js";
import { LineView } from "./line_view.js";

/** A section or a folder. */
export class HeadingLine extends LineView {
  #name = createUserText("line__name");
  #count = createElement("span", "line__count");
  #more = createHiddenText();

  /** @param {"section" | "folder"} type */
  constructor(type) {
    super(type);
    const fold = createElement("span", "line__fold");
    fold.append(createIcon("down"));
    this.element.append(fold, this.#name, this.#count, this.#more);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const { name, count, more } = describeHeading(line, context.snapshot, context.isTree);
    this.element.dataset["section"] = line.section;
    this.mark([], context);
    setText(this.#name, name);
    setText(this.#count, count);
    setText(this.#more, more);
  }
}

/** A message, above the stories that failed with it. */
export class FailureLine extends LineView {
  #message = createUserText("line__message");
  #count = createElement("span", "line__count");
  #more = createHiddenText();

  constructor() {
    super("failure");
    this.element.append(createIcon("failed"), this.#message, this.#count, this.#more);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const message = shortenMessage(line.label);
    this.mark([], context);
    setText(this.#message, message);
    this.#message.title = message;
    setText(this.#count, formatCount(line.members.length));
    setText(this.#more, line.members.length === 1 ? "screenshot" : "screenshots");
  }
}

/** A link to a screenshot that has more changes than its group. */
export class RemainderLine extends LineView {
  #text = createUserText("line__name");

  constructor() {
    super("remainder");
    this.element.append(createIcon("next"), createElement("span", "line__differs", "More changes:"));
    this.element.append(this.#text);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const screenshot = context.snapshot.screenshots.get(line.target);
    const variant = screenshot ? ` (${nameVariant(screenshot)})` : "";
    this.element.dataset["target"] = line.target;
    this.mark([], context);
    setText(this.#text, splitTitle(line.label).name + variant);
    this.#text.title = line.label;
  }
}

/** The line shown while the unchanged screenshots are loaded, and after a failed load. */
export class LoadingLine extends LineView {
  #text = createElement("span", "line__name");

  constructor() {
    super("loading");
    this.element.append(this.#text);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const text = line.label || "Loading…";
    this.mark([], context);
    setText(this.#text, text);
  }
}

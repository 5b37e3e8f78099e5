// The line of a story: thumbnail, name, change, decision and variants.

/** @import { Line } from "../model/lines.js" */
/** @import { Sign, StoryFacts } from "../model/facts.js" */
/** @import { ListContext } from "./line_view.js" */

import { createElement, createHiddenText, createIcon, createUserText, setCutText, setText } from "../dom.js";
import { describeStory } from "../model/facts.js";
import { countOf, formatCount, STATE_NAMES } from "../model/names.js";
import { LineView } from "./line_view.js";
import { MatrixView } from "./matrix_view.js";
import { ThumbnailView } from "./thumbnail_view.js";

export class StoryLine extends LineView {
  #thumbnail = new ThumbnailView();
  #path = createUserText("line__path");
  #only = createElement("span", "line__only");
  #name = createUserText("line__name");
  #state = createElement("span", "state");
  #change = createElement("span", "line__change");
  #share = createElement("span", "line__share");
  #signs = createElement("span", "line__signs");
  #matrix = new MatrixView();
  #more = createHiddenText();

  constructor() {
    super("story");
    const top = createElement("span", "line__row line__top");
    top.append(this.#path, this.#only);
    const bottom = createElement("span", "line__row");
    bottom.append(this.#state, this.#change, this.#share, this.#signs);
    const text = createElement("span", "line__text");
    text.append(top, this.#name, bottom);
    this.element.append(this.#thumbnail.element, text, this.#matrix.element, this.#more);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const facts = describeStory(line, context.snapshot, context.lookup, context.current);
    this.element.dataset["screenshotId"] = facts.thumbnail;
    this.element.dataset["screenshotIds"] = line.ids.join(" ");
    this.mark(line.ids, context);
    this.#thumbnail.setPlaceholder(facts.state);
    setText(this.#path, describePath(facts, context.isTree));
    setText(this.#only, facts.only);
    setCutText(this.#name, facts.name);
    this.#name.title = line.label;
    this.#showState(facts);
    const open = line.ids.reduce((sum, id) => sum + context.openThreads(id), 0);
    if (open > 0) {
      this.#signs.querySelector(".icon--comment")?.remove();
      this.#signs.append(createCount(open));
    }
    this.#matrix.show(facts.cells, context.current);
    const unseen = line.ids.some(context.isUnseen) ? "Not all in view yet" : "";
    const threads = open > 0 ? countOf(open, "open thread") : "";
    setText(this.#more, [facts.more, unseen, threads].filter(Boolean).join(". "));
    this.thumbnailId = facts.thumbnail;
    this.showThumbnail(context.thumbnail(facts.thumbnail));
  }

  /**
   * @override
   * @param {ImageBitmap | undefined} bitmap
   */
  showThumbnail(bitmap) {
    this.#thumbnail.show(bitmap);
  }

  /** @param {StoryFacts} facts */
  #showState(facts) {
    const plain = facts.mark ? "" : " state--plain";
    this.#state.className = `state state--${facts.mark || facts.state}${plain}`;
    setText(this.#state, facts.decision || STATE_NAMES[facts.state]);
    const state = facts.mark ? STATE_NAMES[facts.state] : "";
    const texts = [facts.decidedBy && `by ${facts.decidedBy}`, state, facts.change];
    setText(this.#change, texts.filter(Boolean).join(" · "));
    setText(this.#share, facts.share);
    this.#signs.replaceChildren(...facts.signs.map(createSign));
  }
}

/** @param {number} open */
function createCount(open) {
  const element = createElement("span", "line__threads");
  element.title = countOf(open, "open thread");
  element.append(createIcon("comment"), formatCount(open));
  return element;
}

/** @param {Sign} sign */
function createSign({ icon, name }) {
  const element = createIcon(icon);
  element.title = name;
  return element;
}

/**
 * The nearest folder says most in a narrow line, and the tree shows all folders.
 *
 * @param {StoryFacts} facts
 * @param {boolean} isTree
 */
function describePath({ path, only }, isTree) {
  return isTree ? "" : only ? (path.split(" / ").at(-1) ?? "") : path;
}

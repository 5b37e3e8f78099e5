// The heading of screenshots that changed alike.

/** @import { Line } from "../model/lines.js" */
/** @import { ListContext } from "./line_view.js" */

import { createElement, createIcon, createUserText, setText } from "../dom.js";
import { describeGroup } from "../model/facts.js";
import { LineView } from "./line_view.js";
import { ThumbnailView } from "./thumbnail_view.js";

export class GroupLine extends LineView {
  #thumbnail = new ThumbnailView();
  #name = createUserText("line__name");
  #alike = createElement("span", "line__alike");
  #progress = createElement("span");

  constructor() {
    super("group");
    const fold = createElement("span", "line__fold");
    fold.append(createIcon("down"));
    this.#thumbnail.element.classList.add("thumbnail--stack");
    this.#thumbnail.setPlaceholder("group");
    const bottom = createElement("span", "line__row");
    bottom.append(this.#progress);
    const text = createElement("span", "line__text");
    text.append(this.#name, this.#alike, bottom);
    this.element.append(this.#thumbnail.element, text, fold);
  }

  /**
   * @override
   * @param {Line} line
   * @param {ListContext} context
   */
  show(line, context) {
    const facts = describeGroup(line, context.snapshot, context.lookup, context.current);
    this.element.dataset["screenshotIds"] = line.members.join(" ");
    this.element.dataset["groupId"] = line.groupId ?? "";
    // In an unfolded group, the current screenshot has its own line.
    this.mark(line.isFolded ? line.members : [], context);
    setText(this.#name, facts.name);
    this.#name.title = facts.name;
    setText(this.#alike, facts.alike);
    this.#progress.className = facts.mark ? `state state--${facts.mark}` : "line__progress";
    setText(this.#progress, facts.progress);
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
}

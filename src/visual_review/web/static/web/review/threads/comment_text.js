// The text of a comment as elements; an unknown kind is only its text.

import { element } from "../dom.js";

/** @import { Part } from "./types.js" */

/** @type {ReadonlySet<keyof HTMLElementTagNameMap>} */
const TAGS = new Set(/** @type {const} */ (["p", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "br"]));
const WEB = /^(?:https?|mailto):/i;

/**
 * @param {readonly Part[]} parts
 * @returns {(Node | string)[]}
 */
export function renderParts(parts) {
  return parts.flatMap((part) => (typeof part === "string" ? [part] : renderElement(part)));
}

/**
 * @param {Exclude<Part, string>} part
 * @returns {(Node | string)[]}
 */
function renderElement({ tag, children, href }) {
  const content = renderParts(children);
  if (tag === "a" && href && WEB.test(href)) {
    return [element("a", { href, rel: "nofollow noopener noreferrer", target: "_blank" }, ...content)];
  }
  const known = [...TAGS].find((each) => each === tag);
  return known ? [element(known, {}, ...content)] : content;
}

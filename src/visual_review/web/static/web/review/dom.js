// Makes elements without markup, so that no text of users is ever read as markup.

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Readonly<Record<string, string | number | boolean | null | undefined>>} Attributes */

/**
 * Create an element. `true` sets an attribute without a value; `false` and nothing omit the
 * attribute.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    setAttribute(made, key, value);
  }
  made.append(...children.filter(isShown));
  return made;
}

/**
 * @param {string} label
 * @param {Attributes} attributes
 * @param {() => void} press
 */
export function button(label, attributes, press) {
  const made = element("button", { type: "button", class: "button", ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/**
 * Change an attribute only if it differs, so that nothing is announced twice.
 * @param {Element} target
 * @param {string} key
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(target, key, value) {
  if (value === false || value === null || value === undefined) {
    target.removeAttribute(key);
    return;
  }
  const text = value === true ? "" : String(value);
  if (target.getAttribute(key) !== text) {
    target.setAttribute(key, text);
  }
}

/**
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/**
 * Return a person's or a story's name, kept apart from the direction of the surrounding text.
 * @param {string} text
 */
export function isolated(text) {
  return element("bdi", {}, text);
}

/**
 * @param {Child} child
 * @returns {child is Node | string}
 */
function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

// Finds elements that a page always has, with the type that the caller needs.

/**
 * Return the first element that matches; throw where the page has none.
 *
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [root]
 * @returns {T}
 */
export function find(selector, type, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) {
    throw new Error(`This page has no ${type.name} ${selector}.`);
  }
  return found;
}

/**
 * Return all elements that match and have this type.
 *
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [root]
 * @returns {T[]}
 */
export function findAll(selector, type, root = document) {
  /** @type {T[]} */
  const found = [];
  for (const each of root.querySelectorAll(selector)) {
    if (each instanceof type) {
      found.push(each);
    }
  }
  return found;
}

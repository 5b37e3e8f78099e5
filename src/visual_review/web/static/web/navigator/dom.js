// Making elements without markup in texts.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function createElement(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  element.textContent = text;
  return element;
}

/**
 * Text of users, with a direction of its own.
 *
 * @param {string} className
 */
export function createUserText(className) {
  const element = createElement("span", className);
  element.dir = "auto";
  return element;
}

/** Text for screen readers, after the visible text. */
export function createHiddenText() {
  return createElement("span", "visually-hidden");
}

/** @param {string} name One of the icons of icons.css. */
export function createIcon(name) {
  const icon = createElement("span", `icon icon--${name}`);
  icon.ariaHidden = "true";
  return icon;
}

/**
 * @param {string} label
 * @param {string} className
 * @param {() => void} act
 */
export function createButton(label, className, act) {
  const button = createElement("button", className, label);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

/** So many characters of the end of a name are always shown. */
const SHOWN_END = 14;

/**
 * Change a name, cut in the middle where there is no room: names differ at their ends.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setCutText(element, text) {
  if (element.textContent !== text) {
    const characters = [...text];
    const start = characters.slice(0, -SHOWN_END).join("");
    const parts = [createElement("span", "cut__start", start), createElement("span", "cut__end", text.slice(start.length))];
    element.replaceChildren(...(start ? parts : [text]));
  }
}

/**
 * Change a text only if it differs: a live region would announce an equal text again.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

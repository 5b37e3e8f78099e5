// All keys, from the list by which the page acts, and a switch that turns single keys off.

import { show } from "./dialog.js";
import { element } from "./dom.js";
import { FIRST_KEYS, KEY_MAP, findBinding, splitKey } from "./key_map.js";

/**
 * @param {{areSingleKeysOn: boolean, setSingleKeys: (isOn: boolean) => void}} setting
 */
export function showHelp({ areSingleKeysOn, setSingleKeys }) {
  const off = element("input", { type: "checkbox", checked: areSingleKeysOn });
  off.addEventListener("change", () => setSingleKeys(off.checked));
  const sections = [...new Set(KEY_MAP.map((each) => each.section))];
  return show({
    title: "Keys",
    name: "help",
    body: [
      element("div", { class: "key-help" }, ...sections.map(createSection)),
      element("label", { class: "dialog__check" }, off, "Keys without Ctrl act on this page"),
    ],
  });
}

/**
 * Return the five keys to begin with, as a list.
 */
export function listFirstKeys() {
  const entries = FIRST_KEYS.map((command) => {
    const { keys, label, short = label } = findBinding(command);
    return element("li", {}, createKey(keys[0] ?? ""), " ", short);
  });
  return element("ul", { class: "key-hint__list" }, ...entries);
}

/** @param {string} name */
function createSection(name) {
  const list = element("dl", { class: "key-help__list" });
  for (const { keys, label } of KEY_MAP.filter((each) => each.section === name)) {
    const shown = keys.flatMap((key, place) => (place > 0 ? [" or ", createKey(key)] : [createKey(key)]));
    list.append(element("dt", {}, label), element("dd", {}, ...shown));
  }
  return element("section", { class: "key-help__section" }, element("h3", {}, name), list);
}

/** @param {string} key */
function createKey(key) {
  const parts = splitKey(key).flatMap((part, place) => {
    const made = element("kbd", { class: "kbd" }, part);
    return place > 0 ? ["+", made] : [made];
  });
  return element("span", { class: "nowrap" }, ...parts);
}

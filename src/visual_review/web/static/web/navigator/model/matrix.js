// The small cells of a story: one for each theme and device.

/** @import { Device, Screenshot, Theme } from "../../review/types.js" */

import { DEVICES, THEMES } from "./names.js";

/**
 * @typedef {object} Cell
 * @property {Theme} theme
 * @property {Device} device
 * @property {Screenshot | null} screenshot
 * @property {boolean} belongs Whether the cell is one of the line's own.
 */

/** Whether the screenshot has anything to look at. @param {Screenshot} screenshot */
function differs({ state }) {
  return state !== "unchanged" && state !== "pending";
}

/** @param {Pick<Screenshot, "theme" | "device">} variant */
export function nameVariant({ theme, device }) {
  return `${theme} ${device}`;
}

/**
 * Return the names of the variants of a story: known ones and unchanged ones.
 *
 * @param {readonly Screenshot[]} ofStory
 * @param {number} unchanged A bit for each variant, devices within themes.
 */
export function variantsOf(ofStory, unchanged) {
  const known = new Set(ofStory.map(nameVariant));
  const all = THEMES.flatMap((theme) => DEVICES.map((device) => nameVariant({ theme, device })));
  return all.filter((name, at) => known.has(name) || (unchanged & (1 << at)) !== 0);
}

/**
 * Return a cell for each theme and device of the story, a row for each theme.
 *
 * @param {readonly Screenshot[]} ofStory All known screenshots of the story.
 * @param {readonly string[]} ids The screenshots of the line.
 * @param {readonly string[]} variants The names of the story's variants.
 * @returns {Cell[]}
 */
export function buildCells(ofStory, ids, variants) {
  const own = new Set(ids);
  const [themes, devices] = [THEMES, DEVICES].map((values) =>
    values.filter((value) => variants.some((name) => name.split(" ").includes(value))),
  );
  return /** @type {Theme[]} */ (themes).flatMap((theme) =>
    /** @type {Device[]} */ (devices).map((device) => {
      const found = ofStory.filter((each) => each.theme === theme && each.device === device);
      const screenshot = found.find(({ id }) => own.has(id)) ?? found[0] ?? null;
      return { theme, device, screenshot, belongs: screenshot !== null && own.has(screenshot.id) };
    }),
  );
}

/**
 * Name what the differing variants of a story have in common, such as "only dark".
 *
 * @param {readonly Screenshot[]} ofStory
 * @param {readonly string[]} captured The names of the story's variants.
 */
export function describeOnly(ofStory, captured) {
  const differing = ofStory.filter(differs);
  const all = captured.map((name) => name.split(" "));
  const only = [
    findOnly(differing.map(({ theme }) => theme), all.map(([theme]) => theme ?? "")),
    findOnly(differing.map(({ device }) => device), all.map(([, device]) => device ?? "")),
  ].filter(Boolean);
  return only.length > 0 ? `only ${only.join(" ")}` : "";
}

/**
 * @param {readonly string[]} found
 * @param {readonly string[]} captured
 */
function findOnly(found, captured) {
  const values = new Set(found);
  const [first] = values;
  return values.size === 1 && first && new Set(captured).size > 1 ? first : "";
}

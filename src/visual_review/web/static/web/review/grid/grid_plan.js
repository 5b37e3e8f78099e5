// What the cells of a grid show: one scale for all members, and of each the part that changed.

/** @import { Box, Details } from "../types.js" */
/** @import { Size } from "../../viewer/types.js" */

import { clamp } from "../../viewer/camera.js";
import { contentSize, earlierBox, unionOf } from "../../viewer/change_list.js";
import { LEGIBLE, legibleZoom, subtract } from "../../viewer/parts_in_view.js";

const LARGEST = 2;
/** The surroundings of a change, in pixels of the image. */
const AROUND = 16;
/** Of one side, in pixels of the screen. */
const HIGHEST = 240;
const GAP = 4;
/** Wide parts are easier to compare one above the other. */
const STACKED_SHAPE = 2.5;

/**
 * How a grid shows each member: `side` is the size of one image in pixels of the screen.
 *
 * @typedef {{scale: number, isStacked: boolean, side: Size}} GridPlan
 */

/**
 * @param {readonly Details[]} members At least one.
 * @param {number} cellWidth
 * @returns {GridPlan}
 */
export function planGrid(members, cellWidth) {
  const parts = members.map((each) => partToShow(each, cellWidth / LEGIBLE));
  const width = Math.max(...parts.map((part) => part.width)) + 2 * AROUND;
  const height = Math.max(...parts.map((part) => part.height)) + 2 * AROUND;
  const hasBoth = members.some(({ images }) => images.before && images.after);
  const isStacked = hasBoth && width >= STACKED_SHAPE * height;
  const room = hasBoth && !isStacked ? (cellWidth - GAP) / 2 : cellWidth;
  const scale = clamp(Math.min(room / width, HIGHEST / height), LEGIBLE, LARGEST);
  const side = { width: Math.min(room, width * scale), height: Math.min(HIGHEST, height * scale) };
  return { scale, isStacked, side: { width: Math.floor(side.width), height: Math.floor(side.height) } };
}

/**
 * Return the box of the images in a cell, and whether the box has all changes, legible.
 *
 * @param {Details} member
 * @param {GridPlan} plan
 * @returns {{box: Box, isComplete: boolean}}
 */
export function frameOf(member, { scale, side }) {
  const content = contentSize(member.images);
  const size = { width: side.width / scale, height: side.height / scale };
  const part = partToShow(member, size.width);
  const box = {
    x: startOf({ at: part.x, length: part.width }, size.width, content.width),
    y: startOf({ at: part.y, length: part.height }, size.height, content.height),
    ...size,
  };
  const parts = partsToSee(member);
  const isShown = parts.every((each) => scale >= legibleZoom(each) && subtract(each, box).length === 0);
  const isWhole = subtract({ x: 0, y: 0, ...content }, box).length === 0;
  return { box, isComplete: parts.length > 0 ? isShown : isWhole };
}

/**
 * Moved content itself is unchanged, so next to other changes no one needs to see the content.
 *
 * @param {Details} member
 */
function partsToSee({ changes }) {
  const others = changes.filter(({ kind }) => kind !== "moved");
  return others.length > 0 ? others : changes;
}

/**
 * Return the first box that is not larger than `most`: around all changes and moved content, around all
 * parts to be seen, around the worst change.
 *
 * @param {Details} member
 * @param {number} most
 * @returns {Box}
 */
function partToShow(member, most) {
  const { changes, boxes, images } = member;
  const [worst, ...parts] = changes.length > 0 ? partsToSee(member) : boxes;
  if (!worst) {
    return { x: 0, y: 0, ...contentSize(images) };
  }
  const all = changes.flatMap((change) => (change.movedBy ? [change, earlierBox(change)] : [change])).reduce(unionOf, worst);
  const found = [all, parts.reduce(unionOf, worst)].find((box) => box.width <= most && box.height <= most);
  return found ?? worst;
}

/**
 * Return the start of a window of the image: the part in the middle, or from the part's beginning.
 *
 * @param {{at: number, length: number}} part
 * @param {number} size
 * @param {number} content
 */
function startOf({ at, length }, size, content) {
  const wanted = length > size ? at - AROUND : at + length / 2 - size / 2;
  return clamp(wanted, 0, Math.max(0, content - size));
}

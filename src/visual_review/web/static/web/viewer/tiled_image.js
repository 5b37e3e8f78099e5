// One decoded image as tiles, each with smaller copies for small scales. Chosen by measurement:
// see the decision record about large images.

/** @import { Box, Point } from "./types.js" */

import { intersectionOf, levelFor, meet, sizeAtLevel, tilesOf } from "./tiling.js";

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */
/** @typedef {{box: Box, levels: (ImageBitmap | undefined)[]}} Tile */

export class TiledImage {
  /** @type {Set<number>} */
  #halving = new Set();
  #isClosed = false;

  /**
   * @param {number} width
   * @param {number} height
   * @param {Tile[]} tiles
   */
  constructor(width, height, tiles) {
    this.width = width;
    this.height = height;
    this.tiles = tiles;
  }

  /**
   * @param {Blob} blob
   * @returns {Promise<TiledImage>}
   */
  static async decode(blob) {
    // Colors are compared as they are stored, so profiles do not count.
    const bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none" });
    const { width, height } = bitmap;
    const boxes = tilesOf({ width, height });
    if (boxes.length === 1) {
      return new TiledImage(width, height, boxes.map((box) => ({ box, levels: [bitmap] })));
    }
    const tiles = [];
    for (const box of boxes) {
      const part = await createImageBitmap(bitmap, box.x, box.y, box.width, box.height);
      tiles.push({ box, levels: [part] });
    }
    bitmap.close();
    return new TiledImage(width, height, tiles);
  }

  get pixels() {
    return this.width * this.height;
  }

  /**
   * Draw what is visible; edges of tiles are on pixels of the screen, so that no seam shows.
   *
   * @param {Context} context
   * @param {Point} origin Where the first pixel of the image is, in pixels of the canvas.
   * @param {number} scale
   * @param {Box} visible In pixels of the canvas.
   */
  draw(context, origin, scale, visible) {
    const level = levelFor(scale);
    for (const tile of this.tiles) {
      const place = placeTile(tile.box, origin, scale);
      const bitmap = tile.levels[level] ?? tile.levels[0];
      if (bitmap && meet(place, visible)) {
        drawPart(context, bitmap, place, visible);
      }
    }
  }

  /**
   * Whether `draw` at this scale would use the copy that is made for it.
   *
   * @param {number} scale
   */
  isPrepared(scale) {
    const level = levelFor(scale);
    return this.tiles.every((tile) => tile.levels[level] !== undefined);
  }

  /**
   * Make the smaller copies for a scale, one tile after the other.
   *
   * @param {number} scale
   */
  async prepare(scale) {
    const level = levelFor(scale);
    if (this.#halving.has(level)) {
      return;
    }
    this.#halving.add(level);
    for (const tile of this.tiles) {
      const source = tile.levels[0];
      if (this.#isClosed || !source) {
        return;
      }
      const { width, height } = sizeAtLevel(tile.box, level);
      const options = /** @type {const} */ ({ resizeQuality: "medium" });
      const copy = await createImageBitmap(source, {
        ...options,
        resizeWidth: width,
        resizeHeight: height,
      });
      this.#keep(tile, level, copy);
    }
  }

  close() {
    this.#isClosed = true;
    for (const tile of this.tiles) {
      tile.levels.forEach((bitmap) => bitmap?.close());
      tile.levels = [];
    }
  }

  /**
   * @param {Tile} tile
   * @param {number} level
   * @param {ImageBitmap} copy
   */
  #keep(tile, level, copy) {
    if (this.#isClosed) {
      copy.close();
    } else {
      tile.levels[level] = copy;
    }
  }
}

/**
 * @param {Box} box
 * @param {Point} origin
 * @param {number} scale
 * @returns {Box}
 */
export function placeTile(box, origin, scale) {
  const [left, top] = [Math.round(origin.x + box.x * scale), Math.round(origin.y + box.y * scale)];
  const right = Math.round(origin.x + (box.x + box.width) * scale);
  const bottom = Math.round(origin.y + (box.y + box.height) * scale);
  return { x: left, y: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/**
 * Draw the visible part alone: enlarged images would otherwise be far larger than the canvas.
 *
 * @param {Context} context
 * @param {ImageBitmap} bitmap
 * @param {Box} place
 * @param {Box} visible
 */
function drawPart(context, bitmap, place, visible) {
  const [across, down] = [bitmap.width / place.width, bitmap.height / place.height];
  const part = intersectionOf(place, visible);
  if (!part) {
    return;
  }
  // Whole pixels of the image, so that smoothing sees the same neighbors wherever the view is.
  const left = Math.max(0, Math.floor((part.x - place.x) * across) - 1);
  const top = Math.max(0, Math.floor((part.y - place.y) * down) - 1);
  const right = Math.min(bitmap.width, Math.ceil((part.x + part.width - place.x) * across) + 1);
  const bottom = Math.min(bitmap.height, Math.ceil((part.y + part.height - place.y) * down) + 1);
  context.drawImage(
    bitmap,
    left,
    top,
    right - left,
    bottom - top,
    place.x + left / across,
    place.y + top / down,
    (right - left) / across,
    (bottom - top) / down,
  );
}

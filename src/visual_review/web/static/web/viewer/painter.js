// Paints the images of one pane: its sides, the checkerboard below, the grid above.

/** @import { Box, Camera, ImageSource, Point, Size } from "./types.js" */
/** @import { PanePlan } from "./pane_layout.js" */
/** @import { Entry } from "./image_store.js" */

import { intersectionOf } from "./boxes.js";
import { CRISP_ZOOM, GRID_ZOOM, originInView } from "./camera.js";
import { placeImage } from "./image_levels.js";

const CHECKER = 8;

/** @typedef {{sheet: string, checker: string, otherChecker: string, grid: string}} Palette */
/** @typedef {{source: ImageSource, entry: Entry | undefined}} Layer */

/**
 * @typedef {object} Painting
 * @property {PanePlan} plan
 * @property {Layer[]} layers In the order of the plan's sides.
 * @property {Camera} camera
 * @property {Size} size Of the pane, in pixels of CSS.
 * @property {number} ratio Pixels of the screen per pixel of CSS.
 * @property {number} opacity
 * @property {number} divider
 * @property {Palette} palette
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Painting} painting
 */
export function paint(canvas, painting) {
  const context = canvas.getContext("2d");
  if (!context) {
    return;
  }
  resize(canvas, painting);
  const visible = { x: 0, y: 0, width: canvas.width, height: canvas.height };
  const scale = painting.camera.zoom * painting.ratio;
  const corner = originInView(painting.camera, painting.size, painting.ratio);
  const origin = { x: corner.x * painting.ratio, y: corner.y * painting.ratio };
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = painting.camera.zoom < CRISP_ZOOM && !Number.isInteger(scale);
  painting.layers.forEach((_, index) => {
    const clip = clipOf(painting, index, visible);
    paintLayer(context, painting, index, { origin, scale, visible: clip });
  });
  if (painting.camera.zoom >= GRID_ZOOM) {
    paintGrid(context, painting, origin, scale);
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Painting} painting
 */
function resize(canvas, { size, ratio }) {
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.setProperty("inline-size", `${width / ratio}px`);
    canvas.style.setProperty("block-size", `${height / ratio}px`);
  }
}

/**
 * Return the part of the canvas for a layer: in the swipe mode, one side of the divider.
 *
 * @param {Painting} painting
 * @param {number} index
 * @param {Box} whole
 * @returns {Box}
 */
function clipOf(painting, index, whole) {
  if (painting.plan.blend !== "divider") {
    return whole;
  }
  const left = Math.round(whole.width * painting.divider);
  return index === 0
    ? { ...whole, width: left }
    : { ...whole, x: left, width: whole.width - left };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Painting} painting
 * @param {number} index
 * @param {{origin: Point, scale: number, visible: Box}} view
 */
function paintLayer(context, painting, index, view) {
  const layer = painting.layers[index];
  if (!layer || view.visible.width <= 0) {
    return;
  }
  const image = layer.entry?.image;
  const sheet = placeImage(image ?? layer.source, view.origin, view.scale);
  context.save();
  context.beginPath();
  context.rect(view.visible.x, view.visible.y, view.visible.width, view.visible.height);
  context.clip();
  const isBlended = index > 0 && painting.plan.blend !== "divider";
  if (!isBlended) {
    paintSheet(context, intersectionOf(sheet, view.visible), image ? painting : null, painting);
  }
  if (image) {
    blend(context, painting, isBlended);
    image.draw(context, view.origin, view.scale, view.visible);
  }
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Painting} painting
 * @param {boolean} isBlended
 */
function blend(context, painting, isBlended) {
  if (isBlended && painting.plan.blend === "opacity") {
    context.globalAlpha = painting.opacity;
  }
  if (isBlended && painting.plan.blend === "difference") {
    context.globalCompositeOperation = "difference";
  }
}

/**
 * Paint the background of an image: a checkerboard, or a plain sheet while the image is loading.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {Box | null} box
 * @param {Painting | null} loaded
 * @param {Painting} painting
 */
function paintSheet(context, box, loaded, { palette, ratio }) {
  if (!box) {
    return;
  }
  context.fillStyle = loaded ? checkerboard(context, palette, ratio) : palette.sheet;
  context.fillRect(box.x, box.y, box.width, box.height);
}

/** @type {{key: string, pattern: CanvasPattern | null}} */
const made = { key: "", pattern: null };

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Palette} palette
 * @param {number} ratio
 */
function checkerboard(context, palette, ratio) {
  const key = `${palette.checker}${palette.otherChecker}${ratio}`;
  if (made.key !== key) {
    const length = Math.round(CHECKER * ratio);
    const tile = new OffscreenCanvas(2 * length, 2 * length);
    const brush = tile.getContext("2d");
    if (brush) {
      brush.fillStyle = palette.checker;
      brush.fillRect(0, 0, 2 * length, 2 * length);
      brush.fillStyle = palette.otherChecker;
      brush.fillRect(0, 0, length, length);
      brush.fillRect(length, length, length, length);
    }
    Object.assign(made, { key, pattern: context.createPattern(tile, "repeat") });
  }
  return made.pattern ?? palette.checker;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Painting} painting
 * @param {Point} origin
 * @param {number} scale
 */
function paintGrid(context, { layers, palette }, origin, scale) {
  const { width, height } = context.canvas;
  const size = {
    width: Math.max(...layers.map((layer) => layer.source.width)),
    height: Math.max(...layers.map((layer) => layer.source.height)),
  };
  const [right, bottom] = [origin.x + size.width * scale, origin.y + size.height * scale];
  const [firstX, firstY] = [Math.max(0, -origin.x / scale), Math.max(0, -origin.y / scale)];
  context.fillStyle = palette.grid;
  for (let x = Math.ceil(firstX); origin.x + x * scale <= Math.min(width, right); x += 1) {
    const top = Math.max(origin.y, 0);
    context.fillRect(Math.round(origin.x + x * scale), top, 1, Math.min(bottom, height) - top);
  }
  for (let y = Math.ceil(firstY); origin.y + y * scale <= Math.min(height, bottom); y += 1) {
    const left = Math.max(origin.x, 0);
    context.fillRect(left, Math.round(origin.y + y * scale), Math.min(right, width) - left, 1);
  }
}

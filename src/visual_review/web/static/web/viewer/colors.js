// The magnifier's texts on a pixel.

/** @typedef {readonly [number, number, number, number]} Rgba Each from 0 to 255. */

/**
 * Return a color as `#rrggbb`, with the opacity if not full.
 *
 * @param {Rgba | null} color
 */
export function describeColor(color) {
  if (!color) {
    return "outside";
  }
  const [red, green, blue, alpha] = color;
  if (alpha === 0) {
    return "transparent";
  }
  const hex = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return alpha === 255 ? hex : `${hex} ${Math.round((alpha / 255) * 100)} %`;
}

/**
 * @param {Rgba | null} color
 */
export function toCss(color) {
  return color ? `rgb(${color[0]} ${color[1]} ${color[2]} / ${color[3] / 255})` : "transparent";
}

/**
 * Return the color of a pixel in image data, or null beyond its edges.
 *
 * @param {{data: Uint8ClampedArray, width: number, height: number}} image
 * @param {number} x
 * @param {number} y
 * @returns {Rgba | null}
 */
export function readPixel(image, x, y) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) {
    return null;
  }
  const [red = 0, green = 0, blue = 0, alpha = 0] = image.data.subarray(
    (y * image.width + x) * 4,
    (y * image.width + x) * 4 + 4,
  );
  return [red, green, blue, alpha];
}

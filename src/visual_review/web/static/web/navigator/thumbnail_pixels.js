// Decode a thumbnail at the size at which the list shows it.

// In CSS pixels; the style sheet has the same.
export const WIDTH = 72;
export const HEIGHT = 45;
const MOST_DENSITY = 2;

/**
 * Return the pixels that fill the place of a thumbnail, or nothing for a broken file.
 *
 * Of a tall image the top is shown, since pages differ most at the top.
 *
 * @param {Uint8Array<ArrayBuffer>} file
 * @returns {Promise<ImageBitmap | null>}
 */
export async function shrinkThumbnail(file) {
  const whole = await createImageBitmap(new Blob([file], { type: "image/webp" })).catch(() => null);
  if (!whole) {
    return null;
  }
  const density = Math.min(window.devicePixelRatio || 1, MOST_DENSITY);
  const { width, height } = whole;
  const part = Math.min(height, Math.max(1, Math.round((width * HEIGHT) / WIDTH)));
  const scale = Math.min(1, (WIDTH * density) / width);
  const small = await createImageBitmap(whole, 0, 0, width, part, {
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(part * scale)),
    resizeQuality: "high",
  });
  whole.close();
  return small;
}

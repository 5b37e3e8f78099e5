// The answer with many thumbnails: a length, a list of ids and sizes, and the files.

const LENGTH_BYTES = 4;

/**
 * Return the WebP files by id; null for thumbnails that are not rendered yet.
 *
 * @param {ArrayBuffer} answer
 * @returns {Map<string, Uint8Array<ArrayBuffer> | null>}
 */
export function readThumbnails(answer) {
  const length = new DataView(answer).getUint32(0);
  const start = LENGTH_BYTES + length;
  const text = new TextDecoder().decode(new Uint8Array(answer, LENGTH_BYTES, length));
  /** @type {[string, number][]} */
  const entries = JSON.parse(text);
  let place = start;
  /** @type {Map<string, Uint8Array<ArrayBuffer> | null>} */
  const files = new Map();
  for (const [id, size] of entries) {
    files.set(id, size > 0 ? new Uint8Array(answer, place, size) : null);
    place += size;
  }
  return files;
}

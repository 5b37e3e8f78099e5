// Ids of requests. `crypto.randomUUID` exists only over HTTPS; a service in a private network may
// lack HTTPS.

/**
 * Return a random UUID (version 4).
 * @param {Uint8Array} [bytes] 16 random ones
 */
export function createRequestId(bytes = crypto.getRandomValues(new Uint8Array(16))) {
  const marked = bytes.map((byte, place) => markByte(byte, place));
  const digits = [...marked].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");
}

/**
 * @param {number} byte
 * @param {number} place
 */
function markByte(byte, place) {
  if (place === 6) {
    return (byte & 0x0f) | 0x40;
  }
  return place === 8 ? (byte & 0x3f) | 0x80 : byte;
}

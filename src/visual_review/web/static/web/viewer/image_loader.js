// Fetches one image and decodes it. Failures are explained in a sentence for people.

import { DecodedImage } from "./decoded_image.js";
import { OneAtATime } from "./one_at_a_time.js";

/** Decoding takes twice the memory of the image for a moment: not for two large ones at once. */
const LARGE = 8_000_000;
const largeImages = new OneAtATime();

/** @typedef {{signal: AbortSignal, priority: "high" | "low", pixels: number}} LoadOptions */

/** The message is for the person who looks at the place of the image. */
export class ImageLoadError extends Error {}

/**
 * @param {string} url
 * @param {LoadOptions} options
 * @returns {Promise<DecodedImage>}
 */
export async function loadImage(url, options) {
  const response = await request(url, options);
  if (!response.ok) {
    throw new ImageLoadError(describeStatus(response.status));
  }
  const blob = await readBlob(response);
  try {
    const decode = () => DecodedImage.decode(blob);
    return await (options.pixels > LARGE ? largeImages.run(decode) : decode());
  } catch (error) {
    throw new ImageLoadError("This image cannot be shown: the browser cannot read it.", {
      cause: error,
    });
  }
}

/**
 * @param {string} url
 * @param {LoadOptions} options
 */
async function request(url, options) {
  try {
    const { signal, priority } = options;
    return await fetch(url, { signal, priority, credentials: "same-origin" });
  } catch (error) {
    options.signal.throwIfAborted();
    throw new ImageLoadError("The image could not be loaded: the server did not respond.", {
      cause: error,
    });
  }
}

/** @param {Response} response */
async function readBlob(response) {
  try {
    return await response.blob();
  } catch (error) {
    throw new ImageLoadError("The image could not be loaded: the connection was interrupted.", {
      cause: error,
    });
  }
}

/** @param {number} status */
export function describeStatus(status) {
  if (status === 404 || status === 410) {
    return "This image is not in the storage any more.";
  }
  if (status === 401 || status === 403) {
    return "You cannot see this image: you are signed out, or have no access.";
  }
  return `The image could not be loaded: the server responded with an error (${status}).`;
}

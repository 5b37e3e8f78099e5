// Fetches one image and decodes it. What goes wrong is said in a sentence for people.

import { DecodedImage } from "./decoded_image.js";

/** Its message is for the person who looks at the place of the image. */
export class ImageLoadError extends Error {}

/**
 * @param {string} url
 * @param {{signal: AbortSignal, priority: "high" | "low"}} options
 * @returns {Promise<DecodedImage>}
 */
export async function loadImage(url, options) {
  const response = await request(url, options);
  if (!response.ok) {
    throw new ImageLoadError(describeStatus(response.status));
  }
  const blob = await readBlob(response);
  try {
    return await DecodedImage.decode(blob);
  } catch (error) {
    throw new ImageLoadError("This image cannot be shown: the browser cannot read it.", {
      cause: error,
    });
  }
}

/**
 * @param {string} url
 * @param {{signal: AbortSignal, priority: "high" | "low"}} options
 */
async function request(url, options) {
  try {
    return await fetch(url, { ...options, credentials: "same-origin" });
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

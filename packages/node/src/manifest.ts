/** What a test leaves about each of its screenshots, next to the image. */

import type { Device, Theme } from "./variants.js";

/** Attachments of a test whose names begin with this are screenshots or their manifests. */
export const PREFIX = "visual-review/";

export interface ScreenshotManifest {
  /** The name that the test gives the screenshot. */
  name: string;
  /** The file of the image, relative to the manifest; empty if the image could not be taken. */
  image: string;
  theme?: Theme | undefined;
  device?: Device | undefined;
  /** Why the page was still changing, empty if it was not. */
  unstable: string;
  /** Why there is no image, empty if there is one. */
  error: string;
}

/** Returns the name as a file may have it. */
export function toFileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100) || "screenshot";
}

/** Screenshots for Visual Review in tests of Playwright. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test as base, type Page, type TestInfo } from "@playwright/test";
import { PREFIX, toFileName, type ScreenshotManifest } from "./manifest.js";
import { PAGE_SCRIPT } from "./generated.js";
import { takeStillImage, type ImageOptions } from "./still.js";
import { VIEWPORTS, type Device, type Theme } from "./variants.js";

export { expect } from "@playwright/test";
export type { Device, ImageOptions, Theme };

export interface VisualReviewOptions extends ImageOptions {
  /** The theme to emulate for this screenshot; the page's own otherwise. */
  theme?: Theme;
  /** The device whose viewport is used for this screenshot; the page's own otherwise. */
  device?: Device;
}

/**
 * Takes a screenshot for review, once the page is still. The reporter publishes it.
 *
 * It never fails the test: a screenshot that cannot be taken is published as failed.
 */
export async function visualReview(
  page: Page,
  name: string,
  options: VisualReviewOptions = {},
): Promise<void> {
  const info = base.info();
  const manifest: ScreenshotManifest = {
    name,
    image: "",
    theme: options.theme,
    device: options.device,
    unstable: "",
    error: "",
  };
  try {
    const restore = await useVariant(page, options);
    try {
      const { png, unstable } = await takeStillImage(page, options);
      manifest.unstable = unstable;
      manifest.image = attachImage(info, name, options, png);
    } finally {
      await restore();
    }
  } catch (error) {
    manifest.error = error instanceof Error ? error.message : String(error);
  }
  attachManifest(info, manifest);
}

async function useVariant(page: Page, options: VisualReviewOptions): Promise<() => Promise<void>> {
  const viewport = page.viewportSize();
  if (options.theme) await page.emulateMedia({ colorScheme: options.theme });
  if (options.device) await page.setViewportSize(VIEWPORTS[options.device]);
  return async () => {
    if (options.theme) await page.emulateMedia({ colorScheme: null });
    if (options.device && viewport) await page.setViewportSize(viewport);
  };
}

function attachImage(info: TestInfo, name: string, options: VisualReviewOptions, png: Buffer): string {
  const variant = [options.theme, options.device].filter(Boolean).map((each) => `-${each}`);
  const file = `${toFileName(name)}${variant.join("")}.png`;
  const path = info.outputPath("visual-review", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, png);
  info.attachments.push({ name: `${PREFIX}${file}`, path, contentType: "image/png" });
  return file;
}

function attachManifest(info: TestInfo, manifest: ScreenshotManifest): void {
  const name = `${manifest.image || toFileName(manifest.name)}.json`;
  const path = info.outputPath("visual-review", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(manifest, null, 2));
  info.attachments.push({ name: `${PREFIX}${name}`, path, contentType: "application/json" });
}

export interface VisualReviewFixtures {
  /** `visualReview(page, ...)` for the page of the test. */
  visualReview: (name: string, options?: VisualReviewOptions) => Promise<void>;
}

/** Playwright's test, whose pages are watched from their beginning: what they load is waited for. */
export const test = base.extend<VisualReviewFixtures>({
  visualReview: async ({ page }, use) => {
    await page.addInitScript(PAGE_SCRIPT);
    await use((name, options) => visualReview(page, name, options));
  },
});

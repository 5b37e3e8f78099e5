/** Screenshots for Visual Review in tests of Playwright. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
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
  const theme = options.theme && ((await prefersDark(page)) ? "dark" : "light");
  if (options.theme) await page.emulateMedia({ colorScheme: options.theme });
  if (options.device) await page.setViewportSize(VIEWPORTS[options.device]);
  return async () => {
    if (theme) await page.emulateMedia({ colorScheme: theme });
    if (options.device && viewport) await page.setViewportSize(viewport);
  };
}

function prefersDark(page: Page): Promise<boolean> {
  return page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
}

/** Returns a path that no other screenshot of the test has: names may differ by a sign only. */
function freePath(info: TestInfo, name: string, extension: string): string {
  for (let number = 1; ; number += 1) {
    const path = info.outputPath("visual-review", `${name}${number > 1 ? `-${number}` : ""}${extension}`);
    if (!existsSync(path)) return path;
  }
}

function attachImage(info: TestInfo, name: string, options: VisualReviewOptions, png: Buffer): string {
  const variant = [options.theme, options.device].filter(Boolean).map((each) => `-${each}`);
  const path = freePath(info, `${toFileName(name)}${variant.join("")}`, ".png");
  const file = basename(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, png);
  info.attachments.push({ name: `${PREFIX}${file}`, path, contentType: "image/png" });
  return file;
}

function attachManifest(info: TestInfo, manifest: ScreenshotManifest): void {
  const path = freePath(info, manifest.image || toFileName(manifest.name), ".json");
  const name = basename(path);
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

/** Waits until a page is still, by the rules of the capture of stories, and takes its image. */

import type { Locator, Page } from "@playwright/test";
import { PAGE_SCRIPT } from "./generated.js";

export interface ImageOptions {
  /** The element to take instead of the whole page. */
  element?: Locator;
  /** Elements that are covered by a color. */
  mask?: Locator[];
  /** A part of the page, in CSS pixels. */
  clip?: { x: number; y: number; width: number; height: number };
  /** Whether the whole height of the page is taken, not only its viewport; the default is true. */
  fullPage?: boolean;
  /** The longest wait for a still page in milliseconds; 10,000 by default. */
  timeout?: number;
}

export interface StillImage {
  png: Buffer;
  /** Why the page was still changing, empty if it was not. */
  unstable: string;
}

interface PageScripts {
  settle(milliseconds: number): Promise<string | null>;
  calm(): void;
  stopAnimations(): boolean;
  hooks: Record<"beforeImage" | "afterImage", ((value?: unknown) => unknown)[]>;
}

const LONGEST_WAIT = 10_000;
/** The longest that the scripts of a page may be busy after their own limit. */
const SLACK = 2_000;

/** Takes images until two in a row are equal; the last one counts if that does not happen in time. */
export async function takeStillImage(page: Page, options: ImageOptions = {}): Promise<StillImage> {
  const deadline = Date.now() + (options.timeout ?? LONGEST_WAIT);
  const reason = await settle(page, deadline);
  await runHooks(page, "beforeImage");
  try {
    let previous = await takeImage(page, options);
    do {
      await settle(page, Date.now() + 500);
      const png = await takeImage(page, options);
      if (png.equals(previous)) return { png, unstable: reason };
      previous = png;
    } while (Date.now() < deadline);
    return { png: previous, unstable: reason || "two images in a row were never equal" };
  } finally {
    await runHooks(page, "afterImage");
  }
}

async function takeImage(page: Page, options: ImageOptions): Promise<Buffer> {
  const common = { animations: "disabled", caret: "hide", scale: "css", type: "png" } as const;
  const mask = options.mask ? { mask: options.mask } : {};
  if (options.element) return options.element.screenshot({ ...common, ...mask });
  if (options.clip) return page.screenshot({ ...common, ...mask, clip: options.clip, fullPage: true });
  return page.screenshot({ ...common, ...mask, fullPage: options.fullPage ?? true });
}

/** Returns why the page is not still, empty if it is. */
async function settle(page: Page, deadline: number): Promise<string> {
  const left = Math.max(100, deadline - Date.now());
  try {
    await addScript(page);
    const settled = page.evaluate((milliseconds) => {
      const scripts = (globalThis as unknown as { __visualReview: PageScripts }).__visualReview;
      return scripts.settle(milliseconds);
    }, left);
    return (await withinLimit(settled, left + SLACK)) ?? "";
  } catch (error) {
    // A page that navigates meanwhile loses its scripts; the images show whether it comes to rest.
    return `its scripts ended: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`;
  }
}

async function addScript(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    // A frame that is replaced has no images yet, and its successor is found in the next round.
    await frame.evaluate(PAGE_SCRIPT).catch(() => undefined);
  }
}

function withinLimit<T>(promise: Promise<T>, milliseconds: number): Promise<T | string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((done) => {
    timer = setTimeout(() => done("the page was busy"), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function runHooks(page: Page, name: "beforeImage" | "afterImage"): Promise<void> {
  const run = async (hooks: "beforeImage" | "afterImage"): Promise<void> => {
    const scripts = (globalThis as unknown as { __visualReview?: PageScripts }).__visualReview;
    for (const hook of scripts?.hooks[hooks] ?? []) await hook({});
  };
  await page.evaluate(run, name).catch(() => undefined);
}

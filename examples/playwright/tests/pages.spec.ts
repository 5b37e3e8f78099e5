import { expect, test } from "@playwright/test";
import { urlOf } from "./site";

const PAGES = [
  ...["arrivals", "berths", "cargo", "charts", "crews", "customs", "delays", "departures"],
  ...["docks", "fees", "ferries", "fuel", "maps", "news", "pilots", "ships"],
  ...["storm-notice", "tide-notice", "tides", "weather"],
];

for (const name of PAGES) {
  test(`the page ${name}`, async ({ page }) => {
    await page.goto(urlOf(name));
    await expect(page).toHaveScreenshot(`${name}.png`);
  });
}

import { test } from "visual-review";
import { urlOf } from "./site";

test("the first page in both themes, on phone and desktop", async ({ page, visualReview }) => {
  await page.goto(urlOf("Harbour"));
  for (const theme of ["light", "dark"] as const) {
    for (const device of ["phone", "desktop"] as const) await visualReview("first-page", { theme, device });
  }
});

test("the button", async ({ page, visualReview }) => {
  await page.goto(urlOf("Harbour"));
  await visualReview("button", { element: page.getByRole("button") });
});

import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "./tests",
  fullyParallel: true,
  // The HTML report comes last, so that it has the link of the build.
  reporter: [["line"], ["visual-review/reporter"], ["html", { open: "never" }]],
  use: { viewport: { width: 800, height: 400 } },
  projects: [{ name: "chromium", use: { browserName: "chromium" } }],
});

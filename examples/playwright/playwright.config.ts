import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "./tests",
  fullyParallel: true,
  use: { viewport: { width: 800, height: 400 } },
  projects: [{ name: "chromium", use: { browserName: "chromium" } }],
});

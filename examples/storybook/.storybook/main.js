import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

// The components of Visual Review's own pages, whose story shows them as they are.
function findWebFolder(folder = import.meta.dirname) {
  const web = join(folder, "src", "visual_review", "web");
  return existsSync(web) ? web : findWebFolder(dirname(folder));
}

const web = findWebFolder();

export default {
  framework: "@storybook/html-vite",
  stories: ["../src/**/*.stories.js"],
  staticDirs: [
    { from: join(web, "static", "web"), to: "/visual-review/styles" },
    { from: join(web, "templates", "web", "specimens"), to: "/visual-review/specimens" },
  ],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  viteFinal: (config) => ({
    ...config,
    build: {
      ...config.build,
      // Pictures stay files of their own, so that they load late as they do on a real page.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2000,
      // The minifier would rewrite light-dark(), on which every token rests.
      cssMinify: false,
    },
  }),
};

import { join } from "node:path";

// Which of the folders in ways/ the preview is taken from.
const way = process.env.THEMED_WAY;

export default {
  framework: "@storybook/html-vite",
  stories: ["../src/*.stories.js"],
  addons: { "addon-themes": ["@storybook/addon-themes"], "dark-mode": ["storybook-dark-mode"] }[way.split("_")[0]] ?? [],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  viteFinal: (config) => ({
    ...config,
    resolve: { ...config.resolve, alias: { "the-way": join(import.meta.dirname, "..", "ways", `${way}.js`) } },
    build: { ...config.build, minify: false },
  }),
};

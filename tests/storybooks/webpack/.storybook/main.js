import { fileURLToPath } from "node:url";

export default {
  framework: "@storybook/react-webpack5",
  stories: ["../src/**/*.stories.js"],
  staticDirs: ["../public"],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  typescript: { reactDocgen: false },
  webpackFinal: (config) => ({
    ...config,
    resolve: {
      ...config.resolve,
      alias: {
        ...config.resolve.alias,
        "@palette": fileURLToPath(new URL("../src/palette.js", import.meta.url)),
      },
    },
  }),
};

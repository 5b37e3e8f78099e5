export default {
  framework: "@storybook/html-vite",
  stories: ["../stories/**/*.stories.js"],
  staticDirs: ["../public"],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  viteFinal: (config) => ({ ...config, build: { ...config.build, assetsInlineLimit: 0 } }),
};

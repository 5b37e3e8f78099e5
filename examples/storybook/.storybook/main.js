export default {
  framework: "@storybook/html-vite",
  stories: ["../src/**/*.stories.js"],
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

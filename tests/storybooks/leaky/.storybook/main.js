export default {
  framework: "@storybook/html-vite",
  stories: ["../stories/**/*.stories.js"],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
};

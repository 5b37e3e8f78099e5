import { fileURLToPath } from "node:url";

const palette = fileURLToPath(new URL("../src/palette.js", import.meta.url));
const frameworks = {
  webpack: "@storybook/react-webpack5",
  vite: "@storybook/react-vite",
  rspack: "storybook-react-rsbuild",
};

const withAlias = (config) => ({
  ...config,
  resolve: { ...config.resolve, alias: { ...config.resolve?.alias, "@palette": palette } },
});

const variables = Object.fromEntries(
  ["STORYBOOK_COMMIT", "STORYBOOK_DARK"].map((name) => [
    `process.env.${name}`,
    JSON.stringify(process.env[name] ?? ""),
  ]),
);

export default {
  framework: frameworks[process.env.BUNDLER ?? "webpack"],
  stories: ["../src/**/*.stories.js"],
  staticDirs: ["../public"],
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
  typescript: { reactDocgen: false },
  webpackFinal: withAlias,
  // Vite takes variables from import.meta.env only.
  viteFinal: (config) => ({ ...withAlias(config), define: { ...config.define, ...variables } }),
  rsbuildFinal: withAlias,
};

import { withThemeByDataAttribute } from "@storybook/addon-themes";
import "./attribute.css";

export default {
  decorators: [
    withThemeByDataAttribute({
      themes: { light: "light", dark: "dark" },
      // The Storybook starts dark, so that light has to be set as well.
      defaultTheme: "dark",
      attributeName: "data-mode",
    }),
  ],
};

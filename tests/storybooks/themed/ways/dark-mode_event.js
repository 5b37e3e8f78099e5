import { addons } from "storybook/preview-api";

const colors = { true: "background: black; color: white", false: "background: white; color: black" };
let isDark = false;
addons.getChannel().on("DARK_MODE", (dark) => {
  isDark = dark;
  for (const panel of document.querySelectorAll(".panel")) panel.style.cssText = colors[dark];
});

export default {
  decorators: [
    (story) => {
      const element = story();
      if (element.className === "panel") element.style.cssText = colors[isDark];
      return element;
    },
  ],
};

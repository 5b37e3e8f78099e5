import "@fontsource-variable/figtree";
import "@fontsource-variable/figtree/wght-italic.css";
import "@fontsource-variable/jetbrains-mono";
import "../src/foundation/tokens.css";
import "../src/foundation/base.css";

/** "system" leaves the choice to prefers-color-scheme; the other two overrule it. */
function withTheme(story, { globals }) {
  const root = document.documentElement;
  if (globals.theme === "light" || globals.theme === "dark") root.dataset.theme = globals.theme;
  else delete root.dataset.theme;
  return story();
}

export default {
  decorators: [withTheme],
  parameters: { backgrounds: { disable: true }, layout: "padded" },
  globalTypes: {
    theme: {
      description: "Light or dark",
      toolbar: {
        icon: "contrast",
        items: [
          { value: "system", title: "System" },
          { value: "light", title: "Light" },
          { value: "dark", title: "Dark" },
        ],
        dynamicTitle: true,
      },
    },
  },
  initialGlobals: { theme: "system" },
};

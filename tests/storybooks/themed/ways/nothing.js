import "./nothing.css";

export default {
  // What only looks like themes.
  globalTypes: { size: { toolbar: { items: ["small", "dark-green"] } } },
  parameters: { backgrounds: { options: { dark: { name: "Dark", value: "#000" } } } },
};

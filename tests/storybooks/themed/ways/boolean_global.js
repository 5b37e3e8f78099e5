import "./class.css";

export default {
  globalTypes: { nightMode: { description: "Colors for the night" } },
  initialGlobals: { nightMode: false },
  decorators: [
    (story, { globals }) => {
      const frame = document.createElement("div");
      frame.className = globals.nightMode ? "night" : "";
      frame.append(story());
      return frame;
    },
  ],
};

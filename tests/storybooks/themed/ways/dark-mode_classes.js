import "./dark-mode.css";

export default {
  parameters: {
    darkMode: { stylePreview: true, classTarget: "html", darkClass: ["app-night"], lightClass: ["app-day"] },
  },
};

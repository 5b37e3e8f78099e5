// A panel of which only the colors depend on the theme.
const show = (text) => () => {
  const panel = document.createElement("div");
  panel.className = "panel";
  panel.textContent = text;
  return panel;
};

export default { title: "Panel" };

export const First = { render: show("First") };
export const Second = { render: show("Second") };
export const Plain = {
  render: () => {
    const box = document.createElement("div");
    box.style.cssText = "width: 200px; height: 100px; background: teal";
    return box;
  },
};

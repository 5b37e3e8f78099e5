/** A story that fills `root`; `print` shows a value, the latest one last. */
export const show = (fill) => ({
  render: () => {
    const root = document.createElement("div");
    root.style.cssText = "font: 16px/1.4 monospace; min-height: 40px";
    const print = (...values) => {
      root.textContent = values.join(" ");
    };
    fill(root, print);
    return root;
  },
});

export const add = (parent, name, properties = {}, style = "") => {
  const element = document.createElement(name);
  Object.assign(element, properties);
  element.style.cssText = style;
  parent.append(element);
  return element;
};

export const styled = (root, css) => {
  add(root, "style", { textContent: css });
};

/** Counts visibly; returns the function that counts one further. */
export const counter = (print, label = "count") => {
  let count = 0;
  print(label, count);
  return () => {
    count += 1;
    print(label, count);
    return count;
  };
};

import { leaks, report } from "./leaks.js";

export const show = (name) => ({
  render: () => {
    const root = document.createElement("div");
    // The page is complete only after the story's element is in it.
    queueMicrotask(() => {
      const place = report(root);
      setTimeout(() => leaks[name](place), 0);
    });
    return root;
  },
});

import { add, counter, show } from "./show.js";

export default { title: "Observers" };

export const ResizeReported = show((root) => {
  const box = add(root, "textarea", {}, "width: 50%; height: 60px");
  const output = add(root, "p");
  new ResizeObserver(([entry]) => (output.textContent = entry.contentRect.width)).observe(box);
});
export const ResizeLoop = show((root) => {
  const box = add(root, "div", {}, "width: 20px; height: 20px; background: olive");
  new ResizeObserver(([entry]) => (box.style.width = `${entry.contentRect.width + 3}px`)).observe(box);
});
export const ResizeLoopOfTwo = show((root) => {
  const boxes = [0, 1].map(() => add(root, "div", {}, "width: 40px; height: 20px; background: olive; margin: 4px"));
  boxes.forEach((box, index) => {
    new ResizeObserver(() => (boxes[1 - index].style.width = `${(box.offsetWidth * 7 + 3) % 400}px`)).observe(box);
  });
});
export const ResizeWithTimers = show((root) => {
  const box = add(root, "div", {}, "width: 20px; height: 20px; background: olive");
  const output = add(root, "p");
  const widths = [];
  new ResizeObserver(() => (output.textContent = widths.push(box.offsetWidth) && widths.join(" "))).observe(box);
  setInterval(() => (box.style.width = `${(box.offsetWidth + 10) % 200}px`), 200);
});
export const ResizeWithFrames = show((root) => {
  const box = add(root, "div", {}, "width: 20px; height: 20px; background: olive");
  const output = add(root, "p");
  let reports = 0;
  new ResizeObserver(() => (output.textContent = `${(reports += 1)} reports`)).observe(box);
  const step = () => {
    box.style.width = `${(box.offsetWidth + 2) % 300}px`;
    requestAnimationFrame(step);
  };
  step();
});
export const FitText = show((root) => {
  const text = add(root, "span", { textContent: "fits the width" }, "display: inline-block; font-size: 10px");
  new ResizeObserver(() => {
    const size = parseFloat(text.style.fontSize);
    if (text.offsetWidth < 300) text.style.fontSize = `${size + 1}px`;
  }).observe(text);
});
export const Intersections = show((root) => {
  const output = add(root, "p");
  const seen = [];
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) seen.push(target.textContent);
    output.textContent = seen.join(" ");
  });
  for (let index = 0; index < 8; index += 1) {
    observer.observe(add(root, "div", { textContent: index }, "height: 180px; border: 1px solid"));
  }
});
export const EndlessList = show((root) => {
  const list = add(root, "div");
  const end = add(root, "div", {}, "height: 1px");
  let rows = 0;
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    setTimeout(() => {
      for (let index = 0; index < 5; index += 1) add(list, "p", { textContent: `row ${(rows += 1)}` });
    }, 100);
  }).observe(end);
});
export const Mutations = show((root, print) => {
  const output = add(root, "p");
  const box = add(root, "div");
  let records = 0;
  new MutationObserver((list) => (output.textContent = records += list.length)).observe(box, { childList: true });
  setInterval(() => box.append("."), 250);
});
export const PerformanceEntries = show((root, print) => {
  print("no marks yet");
  const observer = new PerformanceObserver((list) => print(list.getEntries().map(({ startTime }) => startTime).join(" ")));
  observer.observe({ entryTypes: ["mark"] });
  setTimeout(() => performance.mark("late"), 200);
});
export const WindowResize = show((root, print) => {
  const next = counter(print, "resized");
  window.addEventListener("resize", next, { once: true });
});
export const MediaQuery = show((root, print) => print(matchMedia("(prefers-reduced-motion: reduce)").matches));

import { add, counter, show } from "./show.js";

export default { title: "Components" };

const define = (name, connect) => {
  if (customElements.get(name)) return;
  customElements.define(name, class extends HTMLElement {
    connectedCallback() {
      connect(this, this.shadowRoot ?? this.attachShadow({ mode: "open" }));
    }
  });
};

export const ShadowClock = show((root) => {
  define("awkward-clock", (element, shadow) => {
    shadow.innerHTML = "<p></p>";
    setInterval(() => (shadow.firstChild.textContent = new Date().toISOString()), 100);
  });
  add(root, "awkward-clock");
});
export const ClosedShadow = show((root) => {
  const shadow = add(root, "div").attachShadow({ mode: "closed" });
  const next = counter((word, count) => (shadow.textContent = `${word} ${count}`));
  setInterval(next, 130);
});
export const DeclarativeShadow = show((root) => {
  root.setHTMLUnsafe(`<div><template shadowrootmode="open"><style>
    @keyframes spin { to { rotate: 1turn } } p { width: 40px; height: 40px; background: teal; animation: spin 1s infinite }
    </style><p></p></template></div>`);
});
export const DefinedLate = show((root) => {
  add(root, "awkward-late", { textContent: "not defined" });
  setTimeout(() => define("awkward-late", (element, shadow) => (shadow.innerHTML = "defined <slot></slot>")), 300);
});
export const Details = show((root) => {
  root.innerHTML = "<details><summary>More</summary><p>content</p></details>";
  setTimeout(() => (root.firstChild.open = true), 200);
});
export const IndeterminateProgress = show((root) => {
  root.innerHTML = "<progress></progress> <progress value=0.4></progress> <meter value=0.6></meter>";
});
export const GrowingProgress = show((root) => {
  const bar = add(root, "progress", { max: 100, value: 0 });
  setInterval(() => (bar.value = (bar.value + 3) % 100), 30);
});
export const FocusedInput = show((root) => {
  const input = add(root, "input", { value: "a blinking caret" });
  setTimeout(() => input.focus(), 50);
});
export const Editable = show((root) => {
  const text = add(root, "div", { contentEditable: "true", textContent: "edited" }, "padding: 8px; border: 1px solid");
  requestAnimationFrame(() => text.focus());
});
export const Dialog = show((root) => {
  const dialog = add(root, "dialog", { textContent: "a dialog" });
  setTimeout(() => dialog.isConnected && dialog.showModal(), 100);
});
export const Popover = show((root) => {
  const popover = add(root, "div", { popover: "manual", textContent: "a popover" });
  setTimeout(() => popover.isConnected && popover.showPopover(), 100);
});
export const SmoothScroll = show((root) => {
  const box = add(root, "div", {}, "height: 200px; overflow: auto; scroll-behavior: smooth");
  add(box, "div", {}, "height: 2000px; background: linear-gradient(red, blue)");
  setTimeout(() => box.scrollTo({ top: 900, behavior: "smooth" }), 50);
});
export const Spinner = show((root) => {
  const symbols = "|/-\\";
  let position = 0;
  setInterval(() => (root.textContent = symbols[(position += 1) % 4]), 80);
});
export const Charts = show((root) => {
  const bars = Array.from({ length: 12 }, () => add(root, "i", {}, "display: inline-block; width: 16px; margin: 2px; background: coral"));
  const goals = bars.map(() => 20 + Math.random() * 150);
  const start = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - start) / 1500);
    bars.forEach((bar, index) => (bar.style.height = `${goals[index] * (1 - (1 - part) ** 3)}px`));
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
export const DebouncedInput = show((root) => {
  const input = add(root, "input");
  const output = add(root, "p");
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => (output.textContent = `searched ${input.value}`), 300);
  });
  setTimeout(() => {
    for (const letter of "still") {
      input.value += letter;
      input.dispatchEvent(new Event("input"));
    }
  }, 20);
});

import { add, counter, show, styled } from "./show.js";

export default { title: "Animations" };

const square = "width: 60px; height: 60px; background: seagreen;";

export const CssFinite = show((root) => {
  styled(root, "@keyframes grow { to { width: 300px } } .grow { animation: grow 2s forwards }");
  add(root, "div", { className: "grow" }, square);
});
export const CssInfinite = show((root) => {
  styled(root, "@keyframes spin { to { rotate: 1turn } } .spin { animation: spin 1s linear infinite }");
  add(root, "div", { className: "spin" }, square);
});
export const CssStaggered = show((root) => {
  styled(root, "@keyframes enter { from { opacity: 0 } } .enter { animation: enter .4s backwards }");
  for (let index = 0; index < 8; index += 1) {
    add(root, "div", { className: "enter" }, `${square} animation-delay: ${index * 200}ms`);
  }
});
export const Transition = show((root) => {
  const element = add(root, "div", {}, `${square} transition: width 1s`);
  requestAnimationFrame(() => requestAnimationFrame(() => (element.style.width = "300px")));
});
export const TransitionEnd = show((root, print) => {
  const element = add(document.createElement("div"), "div", {}, `${square} transition: width 1s`);
  root.append(element);
  element.addEventListener("transitionend", () => print("the transition ended"));
  requestAnimationFrame(() => requestAnimationFrame(() => (element.style.width = "300px")));
});
export const TransitionOrTimeout = show((root, print) => {
  const element = add(root, "div", {}, `${square} transition: opacity .3s`);
  const order = [];
  const log = (word) => order.push(word) && (root.dataset.order = order.join(" "));
  element.addEventListener("transitionend", () => log("event"));
  setTimeout(() => print(order.length > 0 ? "one of both" : "timeout"), 350);
  requestAnimationFrame(() => requestAnimationFrame(() => (element.style.opacity = "0.5")));
});
export const AnimationEndChain = show((root, print) => {
  styled(root, "@keyframes pulse { from { opacity: .2 } }");
  const element = add(document.body.appendChild(document.createElement("div")), "div", {}, square);
  element.parentElement.remove();
  root.append(element);
  let rounds = 0;
  element.addEventListener("animationend", () => {
    rounds += 1;
    element.textContent = String(rounds);
    element.style.animation = "none";
    if (rounds < 5) requestAnimationFrame(() => (element.style.animation = "pulse .5s"));
  });
  element.style.animation = "pulse .5s";
});
export const WebAnimation = show((root) => {
  add(root, "div", {}, square).animate([{ width: "60px" }, { width: "300px" }], { duration: 900, fill: "forwards" });
});
export const WebAnimationForever = show((root) => {
  add(root, "div", {}, square).animate([{ rotate: "0deg" }, { rotate: "360deg" }], { duration: 900, iterations: Infinity });
});
export const WebAnimationRestarted = show((root) => {
  const element = add(root, "div", {}, square);
  const start = () => {
    element.animate([{ width: "60px" }, { width: "300px" }], { duration: 700, fill: "forwards" }).onfinish = start;
  };
  start();
});
export const WebAnimationCounted = show((root) => {
  const element = add(root, "div", {}, square);
  const next = counter((word, count) => (element.textContent = count));
  const start = () => {
    next();
    element.animate([{ width: "60px" }, { width: "300px" }], { duration: 700 }).onfinish = start;
  };
  start();
});
export const WebAnimationAwaited = show(async (root) => {
  const element = add(root, "div", {}, square);
  for (const width of [100, 200, 300]) {
    const to = { width: `${width}px` };
    await element.animate([to], { duration: 400, fill: "forwards" }).finished;
    element.append(`${width} `);
  }
});
export const Svg = show((root) => {
  root.innerHTML = `<svg width="300" height="80"><rect width="40" height="40" fill="purple">
    <animate attributeName="x" from="0" to="260" dur="2s" repeatCount="indefinite"/></rect></svg>`;
});
export const SvgImage = show((root) => {
  add(root, "img", { src: "./animated.svg", width: 300 });
});
export const ScrollDriven = show((root) => {
  styled(root, "@keyframes reach { to { width: 300px } } .reach { animation: reach linear; animation-timeline: scroll() }");
  add(root, "div", { className: "reach" }, square);
  add(root, "div", {}, "height: 2000px");
});
export const ViewTransition = show((root) => {
  const element = add(root, "div", { textContent: "before" }, "view-transition-name: part");
  setTimeout(() => document.startViewTransition?.(() => (element.textContent = "after")), 100);
});
export const MarqueeElement = show((root) => {
  root.innerHTML = "<marquee>This text moves by itself</marquee>";
});
export const AlternateTransition = show((root) => {
  const element = add(root, "div", {}, `${square} transition: margin-left .5s`);
  let right = false;
  const turn = () => {
    right = !right;
    element.style.marginLeft = right ? "200px" : "0";
  };
  element.addEventListener("transitionend", turn);
  setTimeout(turn, 50);
});
export const Blink = show((root) => {
  styled(root, "@keyframes blink { 50% { opacity: 0 } } .blink { animation: blink 1s step-end infinite }");
  add(root, "span", { className: "blink", textContent: "blinking|" });
});
export const PseudoElements = show((root) => {
  styled(root, `@keyframes slide { to { translate: 200px } }
    .line::after { content: ""; display: block; width: 50px; height: 6px; background: navy;
      animation: slide 1s alternate infinite }`);
  add(root, "div", { className: "line" });
});
export const Skeleton = show((root) => {
  styled(root, `@keyframes shimmer { from { background-position: 0 0 } to { background-position: -400px 0 } }
    .bone { height: 20px; margin: 8px; animation: shimmer 1.5s linear infinite;
      background: linear-gradient(90deg, #ddd, #f5f5f5, #ddd) 0 / 400px }`);
  for (let index = 0; index < 4; index += 1) add(root, "div", { className: "bone" });
});

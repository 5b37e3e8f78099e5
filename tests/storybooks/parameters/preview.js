import { channel, paint as paintPage, render, root, start } from "./channel.js";

const box = (left, top, width, height, more = "") =>
  `<div style="left: ${left}px; top: ${top}px; width: ${width}px; height: ${height}px; background: green"${more}></div>`;
const paint = (html = box(0, 0, 50, 50)) => paintPage(html);

const marked = (style) => `<p data-chromatic="ignore" style="position: absolute; margin: 0; ${style}"></p>`;
const frame = (style, body) => {
  const page = `<style>body { margin: 0; overflow: hidden }</style>${body}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe style="position: absolute; border: 0; ${style}" srcdoc="${page}"></iframe>`;
};

// Green once what the story waits for has happened.
let arrive;
const waitForArrival = () =>
  new Promise((done) => {
    arrive = () => {
      paint();
      done();
    };
    setTimeout(() => arrive(), 700);
  });
window.waitForArrival = waitForArrival;

const fadeIn = (iterations) => {
  paint();
  const frames = [{ background: "red" }, { background: "blue" }];
  root.firstChild.animate(frames, { duration: 60_000, delay: 5000, fill: "both", iterations });
};

// Blue where the media query applies.
const paintFor = (query) =>
  paint(`<style>p { position: absolute; margin: 0; width: 50px; height: 50px; background: green; forced-color-adjust: none }
    @media ${query} { p { background: blue } }</style><p></p>`);

// Blue in the state.
const paintState = (state) =>
  paint(`<style>button { position: absolute; border: 0; outline: 0; width: 50px; height: 50px; background: green }
    button${state} { background: blue }</style><button></button>`);

const stories = {
  "media--a-forced-colors": () => paintFor("(forced-colors: active)"),
  "media--b-not-forced": () => paintFor("(forced-colors: active)"),
  "media--c-reduced-motion": () => paintFor("(prefers-reduced-motion: reduce)"),
  "media--d-print": () => paintFor("print"),
  "media--e-screen": () => paintFor("print"),
  "cropped--by-chromatic": () => paint(box(0, 0, 50, 3000)),
  "cropped--by-storycap": () => paint(box(0, 0, 50, 3000)),
  "gestures--hover": () => paintState(":hover"),
  "gestures--focus": () => paintState(":focus"),
  "gestures--click": () => {
    paintState(".clicked");
    root.querySelector("button").addEventListener("click", (event) => event.target.classList.add("clicked"));
  },
  "gestures--none": () => paintState(":hover"),
  "gestures--missing": () => paintState(":hover"),
  "clipped--part": () => paint(box(0, 0, 50, 3000) + box(100, 1000, 20, 10, ' data-chromatic="ignore"')),
  "clipped--wrong": () => paint(),
  "flag--read": () => paint(navigator.userAgent.includes("VisualReview") ? box(0, 0, 50, 50) : ""),
  "marked--all": () => {
    paint(
      box(10, 20, 30, 40, ' data-chromatic="ignore"') +
        box(100.5, 0, 9.2, 10, ' class="chromatic-ignore"') +
        box(200, 0, 10, 10, ' data-visual-review="ignore"') +
        box(300, 0, 10, 10, ' id="named"') +
        box(-5, 500, 10, 10, ' data-chromatic="ignore"') +
        box(0, 0, 0, 0, ' data-chromatic="ignore"') +
        // Its lower part is hidden by the scroller, next to which it would cover the page.
        '<div style="left: 0; top: 600px; width: 50px; height: 20px; overflow: hidden">' +
        box(0, 0, 50, 90, ' data-chromatic="ignore"') +
        "</div>" +
        box(0, 1200, 20, 20, ' data-chromatic="ignore"'),
    );
    const host = document.createElement("span");
    root.append(host);
    host.attachShadow({ mode: "open" }).innerHTML =
      '<p data-chromatic="ignore" style="position: absolute; left: 250px; top: 300px; margin: 0; width: 10px; height: 10px"></p>';
  },
  "marked--in-frames": () => {
    const inner = frame("left: 20px; top: 20px; width: 40px; height: 40px", marked("left: 4px; top: 6px; width: 10px; height: 12px"));
    const own = marked("left: 10px; top: 20px; width: 30px; height: 40px");
    // The frame shows its first ten pixels only.
    const beyond = marked("left: 90px; top: 0; width: 30px; height: 10px");
    paint(
      frame("left: 100px; top: 200px; width: 100px; height: 80px; border: 3px solid; padding: 2px", own + beyond) +
        frame("left: 0; top: 400px; width: 100px; height: 100px; transform: scale(0.5); transform-origin: 0 0", inner) +
        frame("display: none; width: 100px; height: 100px", own),
    );
  },
  "animated--at-start": () => fadeIn(1),
  "animated--at-end": () => fadeIn(1),
  "skipped--though-it-fails": () => {
    document.documentElement.style.background = "red";
    channel.emit("storyThrewException", { name: "Error", message: "thrown on purpose" });
  },
  "waiting--for-a-function": () => paint(""),
  "waiting--for-a-name": () => paint(""),
  "waiting--forever": () => paint(),
  "waiting--for-nothing": () => paint(),
  "waiting--rejected": () => paint(),
};

const parameters = {
  "media--a-forced-colors": { chromatic: { forcedColors: "active" } },
  "media--c-reduced-motion": { chromatic: { prefersReducedMotion: "reduce" } },
  "media--d-print": { chromatic: { media: "print" } },
  "cropped--by-chromatic": { chromatic: { cropToViewport: true } },
  "cropped--by-storycap": { screenshot: { fullPage: false } },
  "gestures--hover": { screenshot: { hover: "button" } },
  "gestures--focus": { screenshot: { focus: "button" } },
  "gestures--click": { screenshot: { click: "button" } },
  "gestures--missing": { screenshot: { hover: ".missing", click: "?!" } },
  "clipped--part": { screenshot: { clip: { x: 40, y: 995, width: 100, height: 30 } } },
  "clipped--wrong": { screenshot: { clip: { x: -5, y: 0, width: 100, height: 30 } } },
  "modes--narrow": { chromatic: { modes: { small: { viewport: 320 }, large: { viewport: 1200, disable: true } } } },
  "modes--named": {
    viewport: { options: { wide: { styles: { width: "1300px", height: "800px" } } } },
    chromatic: { modes: { wide: { viewport: "wide" } } },
  },
  "modes--dark": { chromatic: { modes: { dark: { theme: "dark" }, small: { theme: "light", viewport: 320 } } } },
  "modes--with-more": { chromatic: { modes: { german: { locale: "de" } } } },
  "marked--all": { chromatic: { ignoreSelectors: ["#named", "?!"] } },
  "skipped--by-chromatic": { chromatic: { disableSnapshot: true } },
  "skipped--though-it-fails": { chromatic: { disableSnapshot: true } },
  "skipped--by-storycap": { screenshot: { skip: true } },
  "skipped--but-ours-wins": { visualReview: { skip: false }, chromatic: { disableSnapshot: true } },
  "compared--by-chromatic": { chromatic: { diffThreshold: 0.2 } },
  "compared--but-ours-wins": { visualReview: { threshold: 0.3 }, chromatic: { diffThreshold: 0.2 } },
  "widths--narrow": { chromatic: { viewports: [320, 400] } },
  "widths--several": { chromatic: { viewports: [320, 1200] } },
  "widths--of-storycap": { screenshot: { viewport: "800x600" } },
  "widths--of-an-emulated-phone": { screenshot: { viewport: { width: 320, height: 600, hasTouch: true } } },
  "widths--with-a-name": { screenshot: { viewports: ["iPhone 5"] } },
  "widths--but-ours-wins": { visualReview: { devices: ["desktop"] }, chromatic: { viewports: [320] } },
  "animated--at-start": { chromatic: { pauseAnimationAtEnd: false } },
  "waiting--for-a-function": { screenshot: { waitFor: waitForArrival } },
  "waiting--for-a-name": { screenshot: { waitFor: "waitForArrival" } },
  "waiting--forever": { visualReview: { devices: ["phone"] }, screenshot: { waitFor: () => new Promise(() => {}) } },
  "waiting--for-nothing": { screenshot: { waitFor: "noFunction" } },
  "waiting--rejected": { screenshot: { waitFor: () => Promise.reject(new Error("no data")) } },
  "without-effect--all": {
    visualReview: { devices: ["phone"] },
    chromatic: { modes: { dark: { theme: "dark" } }, media: "print", forcedColors: "none" },
    screenshot: { variants: { hovered: { hover: "button" } }, fullPage: true },
  },
};

const storyGlobals = {
  "globals--narrow": { viewport: { value: "mobile1", isRotated: false } },
  "globals--unknown": { viewport: "watch" },
};

start((id) => render(id, () => void (stories[id] ?? (() => paint()))(), parameters[id], storyGlobals[id]));

// Stories whose height is not simply that of their root. Red ends where the content ends.
const root = document.getElementById("storybook-root");

const paint = (html) => {
  root.innerHTML = html;
};
const block = (height, style = "") =>
  `<div style="height: ${height}px; background: linear-gradient(blue 20px, green 0 ${height - 20}px, red 0); ${style}"></div>`;
const fixed = (height, style = "") => block(height, `position: fixed; left: 0; top: 0; width: 200px; ${style}`);
const setStyle = (element, values) => Object.assign(element.style, values);

export const sizes = {
  "size--short": () => paint(block(100)),
  "size--tall": () => paint(block(3000)),
  "size--endless": () => paint(block(60000)),
  "size--viewport-height": () => paint(`<div style="height: 100vh"></div>${block(500)}`),
  "size--viewport-height-twice": () => paint(`<div style="height: 200vh"></div>${block(500)}`),
  "size--body-scrolls": () => {
    setStyle(document.documentElement, { height: "100%", overflow: "hidden" });
    setStyle(document.body, { height: "100%", overflow: "auto" });
    paint(block(2000));
  },
  "size--body-scrolls-with-viewport-height": () => {
    setStyle(document.documentElement, { height: "100vh", overflow: "hidden" });
    setStyle(document.body, { height: "100vh", overflowY: "scroll" });
    paint(`<div style="min-height: 100vh"></div>${block(1000)}`);
  },
  "size--scroll-lock": () => {
    setStyle(document.body, { overflow: "hidden" });
    paint(block(2000));
  },
  "size--app-shell": () =>
    paint(`<main id="app" style="height: 100vh; overflow: auto">${block(2500)}</main>`),
  "size--small-scroll-area": () =>
    paint(`<div style="height: 200px; width: 200px; overflow: auto">${block(2500)}</div>`),
  "size--tall-fixed": () => paint(fixed(1500)),
  "size--tall-inside-fixed": () =>
    paint(`<div style="position: fixed; inset: 0">${block(1700, "width: 100px")}</div>`),
  "size--fixed-that-scrolls": () =>
    paint(`<div style="position: fixed; inset: 0; overflow: auto">${block(1700)}</div>`),
  "size--closed-sheet": () => paint(`<p>text</p>${fixed(1200, "top: auto; bottom: 0; transform: translateY(100%)")}`),
  "size--peeking-sheet": () => paint(`<p>text</p>${fixed(600, "top: auto; bottom: -540px")}`),
  "size--invisible-fixed": () => paint(`<p>text</p>${fixed(1500, "visibility: hidden")}`),
  "size--above": () => paint(fixed(1500, "top: 50%; transform: translateY(-50%)")),
  "size--fixed-bar": () => paint(`${block(2000)}${fixed(50, "top: auto; bottom: 0")}`),
  "size--tall-sticky": () =>
    paint(`<div style="height: 2400px"><div style="position: sticky; top: 0">${block(1500)}</div></div>`),
  "size--dialog": () => {
    paint("<p>behind</p>");
    document.body.insertAdjacentHTML("beforeend", "<dialog>a short dialog</dialog>");
    document.body.lastElementChild.showModal();
  },
  "size--tall-dialog": () => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<dialog style="margin: 0; padding: 0; border: 0; max-height: none; width: 200px">${block(1400)}</dialog>`,
    );
    paint("<p>behind</p>");
    document.body.lastElementChild.showModal();
  },
  "size--portal": () => {
    paint("<p>short</p>");
    document.body.insertAdjacentHTML("beforeend", `<aside style="position: absolute; top: 0">${block(1600, "width: 100px")}</aside>`);
  },
  "size--shadow-fixed": () => {
    paint("<div></div>");
    root.firstChild.attachShadow({ mode: "open" }).innerHTML = fixed(1300);
  },
  "size--wide": () => paint('<div style="width: 1200px; height: 40px; background: green"></div>'),
  "size--wide-on-purpose": () =>
    paint('<div style="overflow: hidden"><div style="width: 1200px; height: 40px; background: green"></div></div>'),
};

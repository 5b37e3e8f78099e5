// Every story shows what it finds on the page, and then leaves one thing behind.
const items = (storage) => Object.entries(storage).map((item) => item.join("="));
const list = (values) => [...values].filter((value) => value && !/^sb-/.test(value)).join(",");

const heard = (name) => {
  const event = new CustomEvent(name, { cancelable: true });
  return !window.dispatchEvent(event);
};

const findings = () => [
  `localStorage ${list(items(localStorage))}`,
  `sessionStorage ${list(items(sessionStorage))}`,
  `cookie ${document.cookie}`,
  `title ${/^left/.test(document.title) ? document.title : ""}`,
  `hash ${location.hash}`,
  `entries ${history.state?.leak ?? ""}`,
  `global ${window.leftGlobal ?? ""}`,
  `element ${customElements.get("left-element") ? "defined" : ""}`,
  `adopted ${document.adoptedStyleSheets.filter((sheet) => sheet.cssRules[0].cssText.includes("border")).length}`,
  `focus ${document.activeElement === document.body}`,
  `scroll ${document.scrollingElement.scrollTop}`,
  `listener ${heard("leaky-question")}`,
];

export const report = (root) => {
  const place = document.createElement("div");
  place.innerHTML = '<h2>found</h2><p class="text"></p><left-element>element</left-element><button>focus</button>';
  place.querySelector("p").innerText = findings().join("\n");
  root.append(place);
  return place;
};

const append = (parent, name, properties) => Object.assign(parent.appendChild(document.createElement(name)), properties);
const rootOf = () => document.getElementById("storybook-root");

export const leaks = {
  nothing: () => undefined,
  style: () => append(document.head, "style", { textContent: "h2 { color: red; } .text { padding: 20px; }" }),
  htmlAttribute: () => document.documentElement.setAttribute("data-mode", "loud"),
  bodyClass: () => document.body.classList.add("loud"),
  bodyStyle: () => document.body.style.setProperty("letter-spacing", "3px"),
  rootAttribute: () => rootOf().setAttribute("title", "left"),
  local: () => localStorage.setItem("left", "local"),
  session: () => sessionStorage.setItem("left", "session"),
  cookie: () => {
    document.cookie = "left=cookie";
  },
  title: () => {
    document.title = "left title";
  },
  hash: () => history.replaceState(history.state, "", "#left"),
  entry: () => history.pushState({ leak: "entry" }, ""),
  global: () => {
    window.leftGlobal = "global";
  },
  element: () =>
    customElements.define(
      "left-element",
      class extends HTMLElement {
        connectedCallback() {
          this.style.color = "red";
        }
      },
    ),
  adopted: () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("body { border: 9px solid green; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  },
  portal: () => append(document.body, "div", { textContent: "left portal", id: "portal" }),
  listener: () => window.addEventListener("leaky-question", (event) => event.preventDefault()),
  interval: () => {
    let count = 0;
    setInterval(() => {
      count += 1;
      if (document.querySelector(".text")) document.querySelector("h2").textContent = count < 5 ? `interval ${count}` : "interval";
    }, 50);
  },
  focus: (root) => root.querySelector("button").focus(),
  scroll: (root) => {
    root.style.height = "3000px";
    document.scrollingElement.scrollTop = 700;
  },
};

import { paint, render, start } from "./channel.js";
import { sizes } from "./sizes.js";

const stories = {
  ...sizes,
  "note--none": () => paint("<p>nothing to say</p>"),
  "note--missing-image": () => paint('<p>text</p><img alt="" width="40" height="40" src="/images/lost.png">'),
  "note--missing-font": () =>
    paint('<style>@font-face { font-family: Lost; src: url("/lost.woff2"); }</style><p style="font-family: Lost">text</p>'),
  "note--broken-image": () => paint('<p>text</p><img alt="" width="40" height="40" src="data:image/png;base64,AAAA">'),
  "note--refused-host": () =>
    paint([1, 2, 3, 4, 5].map((n) => `<img alt="" width="40" height="40" src="https://cdn.example/${n}.png">`).join("text")),
  "note--refused-socket": () => {
    paint("<p>text</p>");
    new WebSocket("ws://live.example/feed");
  },
  "note--given-up": () => {
    paint("<p>text</p>");
    const controller = new AbortController();
    fetch("/preview.js?slow", { signal: controller.signal }).catch(() => null);
    controller.abort();
  },
  "note--error": () => {
    paint("<p>text</p>");
    setTimeout(() => {
      throw new TypeError("items is undefined");
    }, 0);
  },
  "note--rejection": () => {
    paint("<p>text</p>");
    Promise.reject(new Error("no data for this story"));
  },
  "note--resize-loop": () => {
    paint("<p>text</p>");
    window.dispatchEvent(
      new ErrorEvent("error", { message: "ResizeObserver loop completed with undelivered notifications." }),
    );
  },
  "note--empty": () => paint(""),
  "note--portal": () => {
    paint("");
    document.body.insertAdjacentHTML("beforeend", "<aside>only here</aside>");
  },
  "note--blank": () => paint('<div style="width: 40px; height: 40px"></div>'),
};

start((id) => {
  // As a decorator would: nothing of one story is in the next.
  document.querySelectorAll("body > aside, body > dialog, head > style.story").forEach((each) => each.remove());
  document.documentElement.removeAttribute("style");
  document.body.removeAttribute("style");
  render(id, () => void stories[id]());
});

import { add, show } from "./show.js";
import latin from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url";

export default { title: "Loading" };

export const FetchedJson = show((root, print) => {
  print("loading");
  fetch("./data.json").then((response) => response.json()).then((data) => print(data.words.join(" ")));
});
export const RequestedJson = show((root, print) => {
  const request = new XMLHttpRequest();
  request.onload = () => print(JSON.parse(request.responseText).words.length, "words");
  request.open("GET", "./data.json");
  request.send();
});
export const FetchChain = show(async (root, print) => {
  for (let index = 0; index < 6; index += 1) {
    const data = await (await fetch(`./data.json?${index}`)).json();
    print("step", index, data.words[index]);
    await new Promise((done) => setTimeout(done, 150));
  }
});
export const Poll = show((root, print) => {
  let count = 0;
  setInterval(async () => {
    const data = await (await fetch("./data.json")).json();
    count += 1;
    print("polled", count, data.words[count % data.words.length]);
  }, 500);
});
export const Streamed = show(async (root, print) => {
  const reader = (await fetch("./long.txt")).body.pipeThrough(new TextDecoderStream()).getReader();
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    print("read", length);
  }
});
export const StreamOfTimers = show(async (root, print) => {
  let count = 0;
  const stream = new ReadableStream({
    pull: (controller) =>
      new Promise((done) => setTimeout(done, 100)).then(() => {
        count += 1;
        controller.enqueue(String(count));
        if (count === 12) controller.close();
      }),
  });
  const text = [];
  for await (const part of stream) print(text.push(part) && text.join(" "));
});
export const FailingFetch = show((root, print) => {
  print("loading");
  fetch("http://nowhere.invalid/").catch((error) => print("failed:", error.message));
});
export const RetriedFetch = show((root, print) => {
  const attempt = (left) =>
    fetch(left ? "./missing.json" : "./data.json").then((response) => {
      print("status", response.status, "left", left);
      if (!response.ok) setTimeout(attempt, 400, left - 1);
    });
  attempt(3);
});
export const Image = show((root) => {
  add(root, "img", { src: "./squares.png", alt: "" });
});
export const LazyImages = show((root) => {
  for (let index = 0; index < 6; index += 1) {
    add(root, "img", { loading: "lazy", src: `./squares.png?${index}`, alt: "" }, "display: block; margin-top: 400px");
  }
});
export const ObservedImages = show((root) => {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      target.src = target.dataset.src;
      observer.unobserve(target);
    }
  });
  for (let index = 0; index < 3; index += 1) {
    const image = add(root, "img", { alt: "" }, "display: block; width: 100px; height: 100px; background: #eee");
    image.dataset.src = `./squares.png?observed-${index}`;
    observer.observe(image);
  }
});
export const SourceSet = show((root) => {
  add(root, "img", { srcset: "./squares.png?small 200w, ./squares.png?large 1200w", sizes: "100vw", alt: "" }, "width: 200px");
});
export const ReplacedImage = show((root) => {
  const image = add(root, "img", { src: "./squares.png?low", alt: "" }, "filter: blur(4px)");
  const large = new window.Image();
  large.onload = () => {
    image.src = large.src;
    image.style.filter = "";
  };
  setTimeout(() => (large.src = "./squares.png?high"), 200);
});
export const BackgroundImage = show((root) => {
  add(root, "div", {}, "width: 200px; height: 200px; background: url(./squares.png?background)");
});
export const BrokenImage = show((root) => {
  const image = add(root, "img", { alt: "a broken image" });
  image.onerror = () => (image.alt = "replaced after the error");
  image.src = "./missing.png";
});
export const LateFont = show((root) => {
  root.textContent = "The quick brown fox 0123456789";
  const font = new FontFace("Late", `url(${latin})`);
  setTimeout(async () => {
    document.fonts.add(await font.load());
    root.style.fontFamily = "Late";
  }, 250);
});
export const LateStyle = show((root) => {
  root.className = "late";
  root.textContent = "styled late";
  setTimeout(() => add(root, "link", { rel: "stylesheet", href: "./late.css" }), 100);
});
export const LateScript = show((root, print) => {
  print("waiting for a script");
  window.lateScript = print;
  setTimeout(() => add(document.head, "script", { src: "./late.js" }), 100);
});
export const LateModule = show((root, print) => {
  print("waiting for a module");
  const url = new URL("./late-module.js", document.baseURI).href;
  setTimeout(() => import(/* @vite-ignore */ url).then((module) => print(module.text)), 100);
});
export const Frame = show((root) => {
  add(root, "iframe", { src: "./frame.html" }, "width: 100%; height: 120px");
});
export const FrameWithTimers = show((root) => {
  add(root, "iframe", { src: "./frame.html?timers" }, "width: 100%; height: 120px");
});
export const FrameInFrame = show((root) => {
  add(root, "iframe", { src: "./frame.html?nested" }, "width: 100%; height: 220px");
});
export const SandboxedFrame = show((root) => {
  const frame = add(root, "iframe", { sandbox: "allow-scripts" }, "width: 100%; height: 120px");
  frame.srcdoc = "<script>setInterval(() => document.body.textContent = Date.now(), 50)<\/script>";
});
export const FrameOfMessages = show((root, print) => {
  const frame = add(root, "iframe", { src: "./frame.html?messages" }, "width: 100%; height: 120px");
  const output = add(root, "p");
  window.addEventListener("message", ({ data, source }) => {
    if (source !== frame.contentWindow || typeof data !== "number") return;
    output.textContent = `received ${data}`;
    if (data < 10) setTimeout(() => source.postMessage(data + 1, "*"), 50);
  });
});
export const ObjectElement = show((root) => {
  add(root, "object", { data: "./animated.svg", type: "image/svg+xml" }, "width: 300px; height: 100px");
});
export const EventSourceToNowhere = show((root, print) => {
  let errors = 0;
  const source = new EventSource("./nothing");
  source.onerror = () => print("errors", (errors += 1));
});
export const SocketToNowhere = show((root, print) => {
  print("connecting");
  new WebSocket("ws://nowhere.invalid/").onclose = () => print("closed");
});
export const Database = show((root, print) => {
  const opening = indexedDB.open("awkward");
  opening.onupgradeneeded = () => opening.result.createObjectStore("words");
  opening.onsuccess = () => {
    const store = opening.result.transaction("words", "readwrite").objectStore("words");
    store.put("stored", 1);
    store.get(1).onsuccess = ({ target }) => print(target.result);
  };
});
export const FileRead = show((root, print) => {
  const reader = new FileReader();
  reader.onload = () => print(reader.result);
  reader.readAsText(new Blob(["read from a blob"]));
});

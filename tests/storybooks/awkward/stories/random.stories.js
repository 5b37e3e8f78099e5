import { show } from "./show.js";

export default { title: "Random" };

export const MathRandom = show((root, print) => print(Array.from({ length: 8 }, Math.random).join(" ")));
export const RandomValues = show((root, print) => print(crypto.getRandomValues(new Uint32Array(6)).join(" ")));
export const RandomUuid = show((root, print) => print(crypto.randomUUID(), crypto.randomUUID()));
export const RandomLater = show((root, print) => setTimeout(() => print(Math.random(), crypto.randomUUID()), 150));
export const RandomInParallel = show((root, print) => {
  const values = [];
  const log = (name) => print(values.push(`${name} ${Math.random().toFixed(6)}`) && values.join(", "));
  setTimeout(log, 20, "timer");
  requestAnimationFrame(() => log("frame"));
  Promise.resolve().then(() => log("promise"));
});
export const RandomAfterFetch = show((root, print) => {
  fetch("./data.json").then((response) => response.json()).then(() => print(Math.random()));
});
export const ShuffledBoxes = show((root) => {
  for (let index = 0; index < 60; index += 1) {
    const box = document.createElement("i");
    const hue = Math.floor(Math.random() * 360);
    box.style.cssText = `display: inline-block; width: 30px; height: 30px; background: hsl(${hue} 80% 60%)`;
    root.append(box);
  }
});
export const GeneratedKeyLength = show((root, print) => {
  crypto.subtle.digest("SHA-256", new TextEncoder().encode("story")).then((digest) => {
    print([...new Uint8Array(digest)].map((byte) => byte.toString(16)).join(""));
  });
});

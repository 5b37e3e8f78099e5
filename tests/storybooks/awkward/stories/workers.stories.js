import { add, show } from "./show.js";

export default { title: "Workers" };

const start = (code, options) => new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), options);

export const Answer = show((root, print) => {
  print("waiting");
  const worker = start("onmessage = ({ data }) => postMessage(data * 2)");
  worker.onmessage = ({ data }) => print("received", data);
  worker.postMessage(21);
});
export const SlowAnswer = show((root, print) => {
  print("waiting");
  const worker = start("onmessage = () => setTimeout(() => postMessage('after 400 ms'), 400)");
  worker.onmessage = ({ data }) => print(data);
  worker.postMessage(0);
});
export const HeavyAnswer = show((root, print) => {
  print("waiting");
  const worker = start(`onmessage = () => {
    let sum = 0;
    for (let index = 0; index < 3e7; index += 1) sum = (sum + index * index) % 1000003;
    postMessage(sum);
  }`);
  worker.onmessage = ({ data }) => print(data);
  worker.postMessage(0);
});
export const Clocks = show((root, print) => {
  print("waiting");
  const worker = start(`postMessage([new Date().toISOString(), Date.now(), performance.now(),
    new Intl.DateTimeFormat("en", { timeStyle: "medium" }).format(), Math.random(), crypto.randomUUID()].join(" "))`);
  worker.onmessage = ({ data }) => print(data);
});
export const Interval = show((root, print) => {
  print("waiting");
  const worker = start("let count = 0; setInterval(() => postMessage((count += 1)), 200)");
  worker.onmessage = ({ data }) => print("tick", data);
});
export const IntervalOfEveryMoment = show((root, print) => {
  print("waiting");
  const worker = start("let count = 0; setInterval(() => postMessage((count += 1)), 0)");
  worker.onmessage = ({ data }) => print("tick", data);
});
export const FileWorker = show((root, print) => {
  print("waiting");
  const worker = new Worker("./worker.js");
  worker.onmessage = ({ data }) => print(data);
  worker.postMessage("hello");
});
export const ModuleWorker = show((root, print) => {
  print("waiting");
  const worker = new Worker("./module-worker.js", { type: "module" });
  worker.onmessage = ({ data }) => print(data);
});
export const FetchingWorker = show((root, print) => {
  print("waiting");
  const url = new URL("./data.json", document.baseURI).href;
  const worker = start(`fetch("${url}").then((response) => response.json()).then(({ words }) => postMessage(words.join()))`);
  worker.onmessage = ({ data }) => print(data);
});
export const PingPong = show((root, print) => {
  const worker = start("onmessage = ({ data }) => setTimeout(() => postMessage(data + 1), 10)");
  worker.onmessage = ({ data }) => {
    print("turn", data);
    if (data < 50) setTimeout(() => worker.postMessage(data), 10);
  };
  worker.postMessage(0);
});
export const Offscreen = show((root) => {
  const canvas = add(root, "canvas", { width: 300, height: 100 });
  const offscreen = canvas.transferControlToOffscreen();
  const worker = start(`onmessage = ({ data }) => {
    const context = data.getContext("2d");
    let x = 0;
    const step = () => {
      context.clearRect(0, 0, 300, 100);
      context.fillStyle = "firebrick";
      context.fillRect((x += 3) % 260, 30, 40, 40);
      requestAnimationFrame(step);
    };
    step();
  }`);
  worker.postMessage(offscreen, [offscreen]);
});
export const Shared = show((root, print) => {
  print("waiting");
  const code = "onconnect = ({ ports }) => ports[0].postMessage(new Date().toISOString())";
  const worker = new SharedWorker(URL.createObjectURL(new Blob([code])));
  worker.port.onmessage = ({ data }) => print(data);
});
export const SharedThatWaits = show((root, print) => {
  print("waiting");
  const code = `onconnect = ({ ports: [port] }) => {
    port.onmessage = ({ data }) => setTimeout(() => port.postMessage(data + " after 400 ms at " + Date.now()), 400);
  }`;
  const worker = new SharedWorker(URL.createObjectURL(new Blob([code])));
  worker.port.onmessage = ({ data }) => print(data);
  worker.port.postMessage("hello");
});

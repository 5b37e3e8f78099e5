import { add, counter, show } from "./show.js";

export default { title: "Timers" };

const chain = (print, count, delay, done = "done") => {
  const step = (left) => {
    print("left", left);
    if (left) setTimeout(step, delay, left - 1);
    else print(done);
  };
  step(count);
};

export const Debounced300 = show((root, print) => {
  print("waiting");
  setTimeout(print, 300, "debounced");
});
export const Skeleton2000 = show((root, print) => {
  print("loading ...");
  setTimeout(print, 2000, "loaded after 2 s");
});
export const ToastOf5000 = show((root, print) => {
  print("saved");
  setTimeout(print, 5000, "the toast is gone");
});
export const ChainOf3Seconds = show((root, print) => chain(print, 10, 300));
export const ChainOf100 = show((root, print) => chain(print, 100, 20));
export const ChainOfZero = show((root, print) => chain(print, 300, 0));
export const EndlessChain = show((root, print) => {
  const next = counter(print);
  const step = () => setTimeout(step, 70, next());
  step();
});
export const Interval1000 = show((root, print) => setInterval(counter(print), 1000));
export const Interval16 = show((root, print) => setInterval(counter(print), 16));
export const Interval0 = show((root, print) => setInterval(counter(print), 0));
export const IntervalThatEnds = show((root, print) => {
  const next = counter(print);
  const id = setInterval(() => next() === 25 && clearInterval(id), 40);
});
export const TwoIntervals = show((root, print) => {
  const order = [];
  setInterval(() => print(order.push("a") && order.join("")), 300);
  setInterval(() => print(order.push("b") && order.join("")), 450);
});
export const Typing = show((root, print) => {
  const text = "A sentence that is typed one letter after the other.";
  const type = (length) => {
    print(text.slice(0, length));
    if (length < text.length) setTimeout(type, 60 + 40 * Math.random(), length + 1);
  };
  type(0);
});
export const TypingForever = show((root, print) => {
  const texts = ["fast", "right", "identical"];
  let position = 0;
  setInterval(() => {
    position += 1;
    const text = texts[Math.floor(position / 12) % 3];
    print(`we are ${text.slice(0, position % 12)}|`);
  }, 90);
});
export const Carousel = show((root) => {
  const slides = ["red", "green", "blue"].map((color, index) =>
    add(root, "div", { textContent: color, hidden: index > 0 }, `background: ${color}; padding: 40px`),
  );
  let current = 0;
  setInterval(() => {
    current = (current + 1) % slides.length;
    slides.forEach((slide, index) => {
      slide.hidden = index !== current;
    });
  }, 2000);
});
export const IdleCallbacks = show((root, print) => {
  const next = counter(print, "idle");
  const work = (deadline) => {
    while (deadline.timeRemaining() > 0 && next() < 200);
    if (next() < 200) requestIdleCallback(work);
  };
  requestIdleCallback(work);
});
export const MessageChain = show((root, print) => {
  const next = counter(print, "message");
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => next() < 400 && port2.postMessage(0);
  port2.postMessage(0);
});
export const EndlessMessages = show((root, print) => {
  const next = counter(print, "message");
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => port2.postMessage(next());
  port2.postMessage(0);
});
export const MessagesAndTimers = show((root, print) => {
  const order = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    order.push("m");
    if (order.length < 40) setTimeout(() => port2.postMessage(order.push("t")), 7);
    print(order.join(""));
  };
  port2.postMessage(0);
});
export const PostTaskDelay = show((root, print) => {
  print("waiting");
  scheduler.postTask(() => print("after 700 ms"), { delay: 700 });
});
export const AbortedAfterTimeout = show((root, print) => {
  print("waiting");
  AbortSignal.timeout(900).addEventListener("abort", () => print("aborted"));
});
export const TimerText = show((root, print) => {
  window.printText = print;
  print("waiting");
  setTimeout("window.printText('evaluated')", 200);
});
export const RaceOfTimerAndFetch = show((root, print) => {
  const order = [];
  const log = (word) => print(order.push(word) && order.join(" "));
  fetch("./data.json").then((response) => response.json()).then(() => log("fetch"));
  setTimeout(log, 5, "timer-5");
  setTimeout(log, 30, "timer-30");
});
export const SortedByDelay = show((root, print) => {
  const order = [];
  for (const delay of [90, 10, 50, 0, 30, 4, 1]) setTimeout(() => print(order.push(delay) && order.join(" ")), delay);
});
export const Countdown = show((root, print) => {
  const end = Date.now() + 2500;
  const tick = () => {
    const left = Math.max(0, end - Date.now());
    print("left", (left / 1000).toFixed(1));
    if (left) setTimeout(tick, 100);
  };
  tick();
});

import { add, counter, show } from "./show.js";

export default { title: "Frames" };

const bar = (root) => add(root, "div", {}, "width: 0; height: 30px; background: teal");
const animate = (length, paint, ended = () => {}) => {
  const start = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - start) / length);
    paint(part);
    if (part < 1) requestAnimationFrame(step);
    else ended();
  };
  requestAnimationFrame(step);
};

export const Tween = show((root) => {
  const element = bar(root);
  animate(600, (part) => {
    element.style.width = `${300 * part}px`;
  });
});
export const TweenOf4Seconds = show((root) => {
  const element = bar(root);
  animate(4000, (part) => {
    element.style.width = `${300 * part * part}px`;
  });
});
export const TweenYoyo = show((root) => {
  const element = bar(root);
  const there = () => animate(700, (part) => (element.style.width = `${300 * part}px`), back);
  const back = () => animate(700, (part) => (element.style.width = `${300 * (1 - part)}px`), there);
  there();
});
export const EndlessLoop = show((root, print) => {
  const next = counter(print, "frame");
  const step = () => requestAnimationFrame(step, next());
  step();
});
export const LoopStartedOnTimeStamp = show((root) => {
  const element = bar(root);
  let start;
  const step = (time) => {
    start ??= time;
    element.style.width = `${((time - start) / 10) % 400}px`;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
export const Spring = show((root) => {
  const ball = add(root, "div", {}, "width: 40px; height: 40px; border-radius: 50%; background: crimson");
  let [place, speed, last] = [0, 0, performance.now()];
  const step = (now) => {
    const seconds = Math.min(0.064, (now - last) / 1000);
    last = now;
    speed += (-170 * (place - 250) - 8 * speed) * seconds;
    place += speed * seconds;
    ball.style.transform = `translateX(${place}px)`;
    if (Math.abs(speed) > 0.1 || Math.abs(place - 250) > 0.1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
});
// As animation libraries do: one loop for all, which wakes and sleeps, and smooths delays.
const ticker = {
  listeners: new Set(),
  running: false,
  last: 0,
  time: 0,
  wake() {
    if (this.running) return;
    this.running = true;
    this.last = Date.now();
    const tick = () => {
      const now = Date.now();
      this.time += Math.min(now - this.last, 500) / 1000;
      this.last = now;
      for (const listener of this.listeners) listener(this.time);
      if (this.listeners.size) requestAnimationFrame(tick);
      else this.running = false;
    };
    requestAnimationFrame(tick);
  },
};
const tween = (element, length) => {
  let start = null;
  const listener = (time) => {
    start ??= time;
    const part = Math.min(1, (time - start) / length);
    element.style.width = `${300 * part}px`;
    if (part === 1) ticker.listeners.delete(listener);
  };
  ticker.listeners.add(listener);
  ticker.wake();
};
export const SharedTicker = show((root) => tween(bar(root), 1.2));
export const SharedTickerAgain = show((root) => {
  tween(bar(root), 0.5);
  tween(bar(root), 2);
});
export const FramesByName = show((root, print) => {
  // As an animation of vector layers: frame numbers from the time, one image for each.
  const start = Date.now();
  const step = () => {
    const number = Math.floor(((Date.now() - start) / 1000) * 25) % 60;
    print("frame", number);
    requestAnimationFrame(step);
  };
  step();
});
export const NestedFrames = show((root, print) => {
  print("before");
  requestAnimationFrame(() => requestAnimationFrame(() => print("after two frames")));
});
export const CanceledFrame = show((root, print) => {
  print("kept");
  const id = requestAnimationFrame(() => print("wrong"));
  requestAnimationFrame(() => print("after the canceled one"));
  cancelAnimationFrame(id);
});
export const FrameAndTimer = show((root, print) => {
  const order = [];
  const log = (word) => print(order.push(word) && order.join(" "));
  requestAnimationFrame(() => log("frame"));
  setTimeout(log, 10, "10");
  setTimeout(log, 25, "25");
  setTimeout(log, 0, "0");
});
export const ThrottledScroll = show((root, print) => {
  add(root, "div", {}, "height: 3000px");
  let waiting = false;
  const onScroll = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      root.dataset.scrolled = String(window.scrollY);
    });
  };
  window.addEventListener("scroll", onScroll, { once: true });
  setTimeout(() => window.scrollTo(0, 100), 50);
  setTimeout(() => window.scrollTo(0, 0), 300);
});
export const Marquee = show((root) => {
  const text = add(root, "div", { textContent: "moved by a loop" }, "white-space: nowrap");
  let place = 300;
  const step = () => {
    place = place < -200 ? 300 : place - 1;
    text.style.marginLeft = `${place}px`;
    requestAnimationFrame(step);
  };
  step();
});

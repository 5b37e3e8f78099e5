import { counter, show } from "./show.js";

export default { title: "Replaced" };

export const TimeoutAtOnce = show((root, print) => {
  window.setTimeout = (handler) => {
    handler();
    return 0;
  };
  print("waiting");
  setTimeout(print, 500, "called at once");
});
export const AfterTimeoutAtOnce = show((root, print) => {
  print("waiting");
  const start = Date.now();
  setTimeout(() => print("called after", Date.now() - start), 500);
});
export const DateOfThePast = show((root, print) => {
  const Real = Date;
  window.Date = class extends Real {
    constructor(...args) {
      super(...(args.length ? args : [0]));
    }
    static now() {
      return 0;
    }
  };
  print(new Date().toISOString(), Date.now());
});
export const AfterDateOfThePast = show((root, print) => print(new Date().toISOString(), Date.now()));
export const FakeTimers = show((root, print) => {
  const waiting = [];
  window.setTimeout = (handler, delay) => waiting.push({ handler, delay });
  window.clearTimeout = () => {};
  print("faked");
  setTimeout(() => print("wrong: it was not called by the story"), 100);
});
export const AfterFakeTimers = show((root, print) => {
  print("waiting");
  setTimeout(print, 100, "real again");
});
export const RandomIsHalf = show((root, print) => {
  Math.random = () => 0.5;
  print(Math.random());
});
export const AfterRandomIsHalf = show((root, print) => print(Math.random()));
export const FramesAtOnce = show((root, print) => {
  let left = 100;
  window.requestAnimationFrame = (handler) => (left -= 1) > 0 && handler(0);
  const next = counter(print);
  const step = () => next() && requestAnimationFrame(step);
  step();
});
export const AfterFramesAtOnce = show((root, print) => {
  const next = counter(print);
  const step = () => next() < 20 && requestAnimationFrame(step);
  step();
});
export const PerformanceFrozen = show((root, print) => {
  performance.now = () => 42;
  print(performance.now());
});
export const AfterPerformanceFrozen = show((root, print) => print(performance.now()));
export const LeftInterval = show((root, print) => {
  window.leftInterval ??= setInterval(() => {
    document.body.dataset.left = String(Number(document.body.dataset.left ?? 0) + 1);
  }, 100);
  print("leaves an interval behind");
});
export const AfterLeftInterval = show((root, print) => print("follows an interval"));

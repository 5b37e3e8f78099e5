// What the browser reports once a frame, and messages the page sends to itself: both can go on
// forever, so after a fixed number of them no more are delivered to a story.
(() => {
  const shared = window.__visualReview;
  const mostReports = 50;
  // For each port: what an earlier story sends forever must not use up those of this one.
  const mostMessages = 2000;
  const mostMessagesOfAll = 10 * mostMessages;
  const mostFrames = 200;
  const active = new Set();
  let reports = new WeakMap();
  let messages = 0;
  let messagesBy = new WeakMap();
  let frames = 0;
  let held = [];

  for (const name of ["ResizeObserver", "IntersectionObserver"]) {
    const Real = window[name];
    window[name] = class extends Real {
      constructor(callback, ...options) {
        super((entries, observer) => {
          shared.noteActivity();
          const count = (reports.get(observer) ?? 0) + 1;
          reports.set(observer, count);
          if (count <= mostReports) callback.call(observer, entries, observer);
        }, ...options);
      }
      observe(target, ...args) {
        // Storybook itself observes the whole page, to place what it highlights.
        if (target !== document.body) active.add(this);
        return super.observe(target, ...args);
      }
      disconnect() {
        active.delete(this);
        return super.disconnect();
      }
    };
    Object.defineProperty(window[name], "name", { value: name });
  }

  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...args) {
    shared.noteActivity();
    messages += 1;
    const count = (messagesBy.get(this) ?? 0) + 1;
    messagesBy.set(this, count);
    if (count > mostMessages || messages > mostMessagesOfAll) held.push([this, args]);
    else postMessage.apply(this, args);
  };
  // Tasks and events that can change what is shown without a change of the document.
  const { postTask } = window.Scheduler?.prototype ?? {};
  if (postTask) {
    Scheduler.prototype.postTask = function (callback, ...options) {
      const run = () => {
        shared.noteActivity();
        return callback();
      };
      return postTask.call(this, typeof callback === "function" ? run : callback, ...options);
    };
  }
  for (const name of ["message", "scroll", "toggle", "resize"]) {
    window.addEventListener(name, shared.noteActivity, true);
  }
  const release = () => {
    messages = 0;
    messagesBy = new WeakMap();
    const waiting = held;
    held = [];
    for (const [port, args] of waiting) postMessage.apply(port, args);
  };

  Object.assign(shared, {
    // Observers report with a frame, so page time may not run ahead of them.
    needsFrames: () => active.size > 0,
    takeFrame: () => {
      frames += 1;
      return frames <= mostFrames;
    },
  });
  shared.hooks.reset.push(() => {
    reports = new WeakMap();
    frames = 0;
    release();
  });
  shared.hooks.afterImage.push(release);
})();

// Observers report once a frame, and a page sends messages to itself: both can go on forever, so
// after a fixed number no further reports or messages are delivered to a story.
(() => {
  const shared = window.__visualReview;
  const mostReports = 50;
  // For each port: endless messages of an earlier story must not use up the messages of the next
  // one.
  const mostMessages = 2000;
  const mostMessagesOfAll = 10 * mostMessages;
  const mostFrames = 200;
  // The observed elements, in one set and by observer and element.
  const observed = new Set();
  const targetsOf = new WeakMap();
  let story = 0;
  let reports = new WeakMap();
  let messages = 0;
  let messagesBy = new WeakMap();
  let frames = 0;
  let held = [];

  const forget = (observer, target) => {
    observed.delete(targetsOf.get(observer)?.get(target));
    targetsOf.get(observer)?.delete(target);
  };
  const record = (observer, target) => {
    forget(observer, target);
    if (!targetsOf.has(observer)) targetsOf.set(observer, new Map());
    const entry = { target: new WeakRef(target), story };
    targetsOf.get(observer).set(target, entry);
    observed.add(entry);
  };
  // Nothing is reported about the removed elements of an earlier story.
  const isReported = (entry) => entry.story === story || Boolean(entry.target.deref()?.isConnected);

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
        super.observe(target, ...args);
        // Storybook itself observes the whole page, to place its highlights.
        if (target !== document.body) record(this, target);
      }
      unobserve(target) {
        forget(this, target);
        return super.unobserve(target);
      }
      disconnect() {
        for (const target of targetsOf.get(this)?.keys() ?? []) forget(this, target);
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
  // Tasks and events with a possible effect on the image without a change of the document.
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
    // Observers report with a frame, so page time may not run ahead of the observers.
    needsFrames: () => [...observed].some(isReported),
    takeFrame: () => {
      frames += 1;
      return frames <= mostFrames;
    },
  });
  shared.hooks.reset.push(() => {
    story += 1;
    for (const entry of observed) if (!entry.target.deref()) observed.delete(entry);
    reports = new WeakMap();
    frames = 0;
    release();
  });
  shared.hooks.afterImage.push(release);
})();

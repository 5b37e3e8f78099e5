// Fixed time and random numbers, and a record of the pending timers of a story.
(() => {
  const instant = SETTINGS.instant;
  const shortTimer = SETTINGS.shortTimer;
  // A timer that keeps starting timers is a clock or a poll, so it is not waited for.
  const longestChain = 3;
  // A loop that reads the time this often within one task is waiting for it to pass.
  const impatience = 1000;
  const frame = 1000 / 60;

  let epoch = 0;
  let elapsed = 0;
  let asked = 0;
  let seed = 0;
  let chain = 0;
  let lastFrame = 0;
  const pending = new Map();

  const reset = () => {
    epoch += 1;
    elapsed = 0;
    asked = 0;
    seed = 0x2f6e2b1;
    pending.clear();
  };

  // `new Date()` is what pages show, so it is fixed. `Date.now()` is used to measure time: it
  // advances by the nominal length of timers and frames, or debounced code would never run.
  const now = () => {
    asked += 1;
    if (asked > impatience) elapsed += 1;
    return instant + Math.floor(elapsed);
  };
  const RealDate = Date;
  RealDate.now = now;
  const FixedDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length ? args : [instant], newTarget),
    apply: () => new RealDate(instant).toString(),
  });
  RealDate.prototype.constructor = FixedDate;
  window.Date = FixedDate;

  // Mulberry32 by Tommy Ettinger (public domain).
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  const realSetTimeout = window.setTimeout.bind(window);
  const realSetInterval = window.setInterval.bind(window);
  const realFrame = window.requestAnimationFrame.bind(window);

  window.setTimeout = (handler, delay, ...args) => {
    if (typeof handler !== "function") return realSetTimeout(handler, delay);
    const wait = Number(delay) || 0;
    const due = elapsed + wait;
    const born = epoch;
    const depth = chain + 1;
    const id = realSetTimeout(() => {
      pending.delete(id);
      if (born === epoch) elapsed = Math.max(elapsed, due);
      asked = 0;
      chain = depth;
      try {
        handler.apply(window, args);
      } finally {
        chain = 0;
      }
    }, delay);
    if (wait <= shortTimer && depth <= longestChain) pending.set(id, wait);
    return id;
  };
  window.setInterval = (handler, delay, ...args) => {
    if (typeof handler !== "function") return realSetInterval(handler, delay);
    return realSetInterval(() => {
      elapsed += Number(delay) || 0;
      asked = 0;
      handler.apply(window, args);
    }, delay);
  };
  for (const name of ["clearTimeout", "clearInterval"]) {
    const real = window[name].bind(window);
    window[name] = (id) => {
      pending.delete(id);
      real(id);
    };
  }
  window.requestAnimationFrame = (handler) =>
    realFrame((time) => {
      if (time !== lastFrame) elapsed += frame;
      lastFrame = time;
      asked = 0;
      handler(time);
    });

  reset();
  const shared = {
    hooks: { reset: [], unfinished: [], beforeImage: [], findings: [], afterImage: [] },
    reset,
    reseed: () => {
      seed = 0x2f6e2b1;
    },
    shortTimers: () => pending.size,
    // The real clock and frames, for the capture itself.
    time: performance.now.bind(performance),
    wait: (milliseconds) => new Promise((done) => realSetTimeout(done, milliseconds)),
    nextFrame: () => new Promise((done) => realFrame(() => done())),
  };
  Object.defineProperty(window, "__visualReview", { value: shared, configurable: true });
})();

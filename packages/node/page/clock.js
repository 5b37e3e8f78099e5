// What the scripts of the capture need of its clock. Tests keep the real clock: they may depend
// on it, so the page is waited for and nothing is run ahead.
(() => {
  const frame = 1000 / 60;
  let activity = 0;
  const shared = {
    hooks: { reset: [], unfinished: [], beforeImage: [], findings: [], afterImage: [] },
    activity: () => activity,
    noteActivity: () => {
      activity += 1;
    },
    hasStep: () => false,
    step: () => false,
    needsFrames: () => false,
    takeFrame: () => false,
    exhaust: () => {},
    drive: () => {},
    resume: () => {},
    time: () => performance.now(),
    wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
    // A page in the background gets no frames.
    nextFrame: () => Promise.race([new Promise((done) => requestAnimationFrame(() => done())), shared.wait(10 * frame)]),
    idle: () => shared.wait(0),
  };
  Object.defineProperty(globalThis, "__visualReview", { value: shared, configurable: true });
})();

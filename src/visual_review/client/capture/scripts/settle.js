// Waits until a story is quiet, or reports the reasons.
(() => {
  const shared = window.__visualReview;
  const quietFrames = 2;
  // Frames may follow each other at once; changes without a clock of the page take real time.
  const quietMilliseconds = 30;
  // A longer load may itself be waiting for a timer of the page.
  const patience = 1000;
  let decoded = new WeakSet();
  let loadingSince = null;
  let quietSince = 0;
  let activity = 0;

  const decodeImages = (limit) => {
    const images = shared.all("img").filter((image) => image.complete && image.naturalWidth && !decoded.has(image));
    if (!images.length) return null;
    for (const image of images) decoded.add(image);
    const done = Promise.allSettled(images.map((image) => image.decode()));
    return Promise.race([done, limit.ends]);
  };

  // Runs the timers and frames of the page until the page loads something or nothing is left.
  const runTimers = async (limit) => {
    if (!shared.hasStep()) return;
    await shared.idle();
    while (shared.hasStep() && !shared.loading().length && !limit.expired) {
      if (shared.needsFrames() || shared.stopAnimations()) {
        if (!shared.takeFrame()) shared.exhaust();
        await shared.nextFrame();
        await shared.idle();
        if (shared.loading().length) return;
      }
      shared.step();
      // Starts the transitions and loads of a frame on the screen.
      document.documentElement?.getBoundingClientRect();
      await shared.idle();
    }
  };

  const innerPages = () => {
    const pages = [];
    for (const element of shared.all("iframe, object, embed")) {
      try {
        const inner = element.contentWindow?.__visualReview;
        if (inner?.settle) pages.push({ element, inner });
      } catch {
        // A frame of another origin.
      }
    }
    return pages;
  };
  const settleInnerPage = async ({ element, inner }, limit) => {
    // The promises of a replaced page are never settled.
    const replaced = new Promise((done) => {
      element.addEventListener("load", () => done("it was still loading"), { once: true });
    });
    const late = limit.ends.then(() => "it did not come to rest");
    return Promise.race([inner.settle(limit.left()), replaced, late]);
  };
  const settleInnerPages = async (limit) => {
    const pages = shared.loading().length ? [] : innerPages();
    const reasons = await Promise.all(pages.map((page) => settleInnerPage(page, limit)));
    return reasons.filter(Boolean).map((reason) => `in a frame: ${reason}`);
  };

  // The clock stands during a load, until the load seems to wait for the clock.
  const waitForLoads = (since) => {
    const controlled = navigator.serviceWorker?.controller;
    if (controlled || shared.time() - since > patience) shared.resume();
  };

  const findReasons = (inner) => {
    const reasons = [...shared.loading(), ...inner];
    for (const hook of shared.hooks.unfinished) reasons.push(...hook());
    const change = shared.takeChange();
    if (change !== null) reasons.push(`the page kept changing (${change})`);
    return reasons;
  };

  // Runs all work of the page, stops motion, and returns why the page is not quiet.
  const inspect = async (limit) => {
    shared.drive();
    shared.calm();
    const stopped = shared.stopAnimations();
    await decodeImages(limit);
    if (shared.loading().length) waitForLoads((loadingSince ??= shared.time()));
    else {
      loadingSince = null;
      await runTimers(limit);
    }
    const inner = await settleInnerPages(limit);
    await shared.nextFrame();
    const reasons = findReasons(inner);
    // The end of an animation may start other work.
    if (stopped) reasons.push("an animation was still running");
    return reasons;
  };
  const quietLeft = () => quietSince + quietMilliseconds - shared.time();

  const settle = async (limit, waits) => {
    let quiet = 0;
    // A change may have paused just at the end of the time.
    let last = [];
    quietSince = shared.time();
    loadingSince = null;
    for (;;) {
      const reasons = await inspect(limit);
      quiet = reasons.length ? 0 : quiet + 1;
      if (reasons.length) {
        quietSince = shared.time();
        last = reasons;
      }
      if (quiet >= quietFrames && !shared.hasStep()) {
        activity = shared.activity();
        if (!waits || quietLeft() <= 0) return null;
        await shared.wait(quietLeft());
      }
      if (limit.expired) {
        return last.join("; ") || "its timers and frames took too long";
      }
    }
  };

  const stayedQuiet = async (limit) => {
    if (quietLeft() > 0) await shared.wait(quietLeft());
    const reasons = await inspect(limit);
    return !reasons.length && !shared.hasStep() && shared.activity() === activity;
  };

  Object.assign(shared, {
    innerPages,
    // Resolves to null for a quiet page, otherwise to the reason. From then on, the page's clock is
    // held. Unless `waits`, the check for a long enough quiet time is left to `stayedQuiet`.
    settle: async (milliseconds, waits = true) => {
      decoded = new WeakSet();
      const limit = shared.limit(milliseconds);
      try {
        return await settle(limit, waits);
      } finally {
        limit.end();
        shared.drive();
      }
    },
    // Returns whether the page has stayed quiet for long enough.
    stayedQuiet: async () => {
      const limit = shared.limit(patience);
      try {
        return await stayedQuiet(limit);
      } finally {
        limit.end();
        shared.drive();
      }
    },
    // Lets the page time of a story's delay pass. Only work independent of page time is waited for
    // in real time.
    delay: async (milliseconds, longest = milliseconds) => {
      shared.allow(milliseconds);
      if (shared.doubts().length) await shared.wait(Math.min(milliseconds, longest));
    },
  });
})();

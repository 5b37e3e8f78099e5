// Shows one story and prepares its image, in one call; the hooks of other scripts take part.
(() => {
  const shared = window.__visualReview;
  const hooks = shared.hooks;

  const runAll = async (list, ...values) => {
    for (const hook of list) await hook(...values);
  };

  const emptyResult = (outcome) => ({
    outcome,
    parameters: {},
    skip: false,
    width: 0,
    height: 0,
    threshold: null,
    delay: 0,
    unstable: [],
    doubts: [],
    notes: [],
    regions: [],
    leftovers: [],
    early: false,
    media: [],
    gestures: [],
    clip: null,
    times: { show: 0, settle: 0 },
  });

  let last;
  // The notes about the parameters, which are read once.
  let firstNotes = [];

  const clear = (result) =>
    Object.assign(result, { unstable: [], doubts: [], notes: [...firstNotes], regions: [], early: false });

  const settleAndFind = async (request, result, waits) => {
    const unstable = await shared.settle(request.settleMs, waits);
    result.unstable = unstable ? [unstable] : [];
    await runAll(hooks.beforeImage, request);
    await runAll(hooks.findings, result, request);
    result.width = request.viewport.width;
    result.height = shared.cropsToViewport() ? request.viewport.height : shared.height();
    result.early = !waits && !unstable;
  };

  // An image beyond the viewport changes the size of the page, which may respond. A story in doubt
  // gets several images, and the first image counts like the others.
  const mustWait = ({ doubts, height, gestures }, { viewport }) =>
    doubts.length > 0 || height > viewport.height || gestures.length > 0;

  // The steps to repeat while responses are still missing. An `early` result is confirmed by
  // `stayedQuiet` after the image.
  const prepare = async (request, result, waits = true) => {
    const started = shared.time();
    await settleAndFind(request, result, waits);
    if (result.early && mustWait(result, request)) {
      result.early = false;
      if (!(await shared.stayedQuiet())) await settleAndFind(request, clear(result), true);
    }
    result.times.settle += shared.time() - started;
    return result;
  };

  Object.assign(shared, {
    take: async (request) => {
      const started = shared.time();
      for (const hook of hooks.reset) hook(request);
      const limit = shared.limit(request.storyMs);
      const late = limit.ends.then(() => ({ kind: "late", message: "", phase: shared.phase() }));
      last = emptyResult(await Promise.race([shared.show(request.id), late]));
      limit.end();
      last.times.show = shared.time() - started;
      last.leftovers = shared.leftovers();
      // Read first: a story without captures may fail.
      Object.assign(last, shared.readParameters(shared.parameters(), request));
      firstNotes = [...last.notes];
      if (last.skip || last.outcome.kind !== "rendered") return last;
      // A story may set a delay, but not use up the whole time limit.
      await shared.delay(last.delay, request.storyMs / 2);
      // The browser has to emulate these media first; `retake` follows.
      if (last.media.length) return last;
      return prepare(request, last, !request.early);
    },
    retake: (request) => prepare(request, clear(last)),
    // Hooks after the story may change the page, and so run after the image.
    finish: async (request) => {
      const result = { leftovers: [] };
      await shared.hooksDone();
      await runAll(hooks.afterImage, result, request);
      return result;
    },
  });
})();

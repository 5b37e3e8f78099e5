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
    times: { show: 0, settle: 0 },
  });

  // What can be repeated while responses are still missing.
  const prepare = async (request, result) => {
    const started = shared.time();
    const unstable = await shared.settle(request.settleMs);
    result.unstable = unstable ? [unstable] : [];
    await runAll(hooks.beforeImage, request);
    await runAll(hooks.findings, result, request);
    result.width = request.viewport.width;
    result.height = shared.height();
    result.times.settle += shared.time() - started;
    return result;
  };

  let last;
  // Those of the parameters, which are read once.
  let firstNotes = [];

  Object.assign(shared, {
    take: async (request) => {
      const started = shared.time();
      for (const hook of hooks.reset) hook(request);
      const late = shared.wait(request.storyMs).then(() => ({ kind: "late", message: "", phase: shared.phase() }));
      last = emptyResult(await Promise.race([shared.show(request.id), late]));
      last.times.show = shared.time() - started;
      last.leftovers = shared.leftovers();
      // Read first: a story that is not to be captured may fail.
      Object.assign(last, shared.readParameters(shared.parameters(), request));
      firstNotes = [...last.notes];
      if (last.skip || last.outcome.kind !== "rendered") return last;
      // A story may set a delay, but not use up the whole time limit.
      await shared.delay(last.delay, request.storyMs / 2);
      return prepare(request, last);
    },
    retake: (request) =>
      prepare(request, Object.assign(last, { unstable: [], doubts: [], notes: [...firstNotes], regions: [] })),
    // Hooks after the story may change the page, so they come after the image.
    finish: async (request) => {
      const result = { leftovers: [] };
      await shared.hooksDone();
      await runAll(hooks.afterImage, result, request);
      return result;
    },
  });
})();

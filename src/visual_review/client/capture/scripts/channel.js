// Listens on Storybook's preview channel from the beginning and requests stories.
(() => {
  const shared = window.__visualReview;
  const globalName = "__STORYBOOK_ADDONS_CHANNEL__";
  const declared = { values: {}, types: {}, offered: [] };
  const phasesAfterRendered = ["completed", "afterEach", "finished"];
  let channel;
  let current = null;
  let phase = "not started";
  let settleReady;
  const ready = new Promise((done) => {
    settleReady = done;
  });

  const words = (error) => {
    if (!error) return "no message";
    const text = error.message || error.description || error.title || String(error);
    return error.title && error.description ? `${error.title}: ${error.description}` : text;
  };

  // The first outcome counts: later events of the same story are its consequences.
  const end = (kind, message) => current?.done({ kind, message, phase });

  const finish = (id) => {
    if (current && (!id || id === current.id)) current.finished();
  };

  const listeners = {
    setGlobals: ({ globals, globalTypes }) => {
      declared.values = globals || {};
      declared.types = globalTypes || {};
    },
    "storybook/themes/REGISTER_THEMES": ({ themes }) => {
      declared.offered = themes || [];
    },
    storyPrepared: ({ id, parameters, initialArgs }) => {
      if (current?.id !== id) return;
      current.parameters = parameters || {};
      if (!shared.storyPrepared?.(initialArgs, current.parameters)) return;
      end("leftover", "");
      // Storybook must not render the story: the page is replaced, but not its stored data.
      throw new Error("The page is replaced.");
    },
    globalsUpdated: ({ storyGlobals }) => {
      if (current) current.globals = storyGlobals || {};
    },
    storyRenderPhaseChanged: ({ newPhase, storyId }) => {
      if (current?.id !== storyId) return;
      phase = newPhase;
      if (newPhase === "playing") shared.storyPlays?.();
      // Random IDs and data of a story start equal, however many numbers loading has used.
      if (newPhase === "loading" || newPhase === "rendering") shared.reseed(newPhase === "rendering");
    },
    storyRendered: (id) => {
      if (current?.id === id) end("rendered", null);
    },
    storyFinished: ({ storyId }) => finish(storyId),
    storyMissing: (id) => {
      settleReady(null);
      if (!id || current?.id === id) end("missing", "Storybook could not load this story");
    },
    storyErrored: (error) => end("errored", words(error)),
    storyThrewException: (error) => end("threw", words(error)),
    playFunctionThrewException: (error) => end("play", words(error)),
    unhandledErrorsWhilePlaying: (errors) => end("unhandled", (errors || []).map(words).join("; ")),
    configError: (error) => {
      settleReady(words(error));
      end("config", words(error));
    },
  };

  Object.defineProperty(window, globalName, {
    configurable: true,
    enumerable: true,
    get: () => channel,
    set: (value) => {
      channel = value;
      for (const [name, listener] of Object.entries(listeners)) channel?.on(name, listener);
    },
  });

  // Storybook 8.5 and later run hooks after the story has rendered; leaving before they finish
  // makes the preview reload itself.
  const hooksDone = async (finished) => {
    shared.resume();
    await shared.wait(0);
    if (phasesAfterRendered.slice(1).includes(phase)) await finished;
  };

  Object.assign(shared, {
    ready,
    declared: () => JSON.parse(JSON.stringify(declared)),
    phase: () => phase,
    setGlobals: (globals) => {
      const heard = new Promise((done) => {
        channel.once("globalsUpdated", done);
      });
      channel.emit("updateGlobals", { globals });
      const limit = shared.limit(2000);
      return Promise.race([heard, limit.ends]).finally(() => limit.end());
    },
    show: async (id) => {
      shared.reset();
      window.scrollTo(0, 0);
      phase = "not started";
      let finished;
      const whenFinished = new Promise((done) => {
        finished = done;
      });
      const outcome = await new Promise((done) => {
        current = { id, done, finished, parameters: {}, globals: {}, afterwards: whenFinished };
        channel.emit("setCurrentStory", { storyId: id, viewMode: "story" });
      });
      return outcome;
    },
    // The parameters of the current story.
    parameters: () => current?.parameters ?? {},
    // The globals set by the story itself (Storybook 9 and later).
    storyGlobals: () => current?.globals ?? {},
    hooksDone: () => hooksDone(current.afterwards),
  });
})();

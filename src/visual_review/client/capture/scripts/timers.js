// The virtual clock: timers and frames of the page run in the order of their page time.
//
// Page time advances only with a timer or a frame, never by itself, so a clock of the page does not
// depend on the load on the machine. During the rendering of a story, timers and frames also wait
// for their real time, because tests inside stories wait for work in real time. Once the story is
// shown, `settle` runs timers and frames without waiting, up to a limit, and then holds them.
(() => {
  const scope = globalThis;
  const frame = 1000 / 60;
  // The page's zero is not 0: programs take a time of 0 for "not started".
  const origin = 1000;
  // A loop reading the time this often within one task is waiting for time to pass.
  const impatience = 1000;
  const limits = SETTINGS.limits ?? { pageTime: 10_000, longestWait: 3000, steps: 1000 };

  const realSetTimeout = scope.setTimeout.bind(scope);
  const realClearTimeout = scope.clearTimeout.bind(scope);
  const realFrame = scope.requestAnimationFrame?.bind(scope);
  const realCancelFrame = scope.cancelAnimationFrame?.bind(scope);
  const realNow = performance.now.bind(performance);
  const realPostTask = scope.scheduler?.postTask?.bind(scope.scheduler);

  const tasks = new Map();
  let mode = "paced";
  let elapsed = 0;
  let asked = 0;
  let lastId = 0;
  let order = 0;
  let depth = 0;
  let story = 0;
  let owner = 0;
  let steps = 0;
  let frames = 0;
  let horizon = limits.pageTime;
  let longestWait = limits.longestWait;
  let frameTask = null;
  let runningFrame = null;
  let armed = null;
  let activity = 0;

  const read = () => {
    if (asked === 0) realSetTimeout(() => (asked = 0), 0);
    asked += 1;
    if (asked > impatience) elapsed += 1;
    return elapsed;
  };

  const earlier = (one, other) => one.due < other.due || (one.due === other.due && one.order < other.order);
  const next = (isAllowed) => {
    let first = null;
    for (const task of tasks.values()) {
      if (isAllowed(task) && (!first || earlier(task, first))) first = task;
    }
    return first;
  };

  const add = (task, delay) => {
    lastId += 1;
    order += 1;
    Object.assign(task, { id: lastId, order, delay, owner, due: elapsed + delay, realDue: realNow() + delay });
    tasks.set(task.id, task);
    pace();
    return task;
  };
  const repeat = (task) => {
    order += 1;
    Object.assign(task, { order, due: elapsed + task.delay, realDue: realNow() + task.delay });
  };

  const run = (task) => {
    activity += 1;
    elapsed = Math.max(elapsed, task.due);
    asked = 0;
    // Steps also count during the rendering of a story: the number of steps before settling depends
    // on the load. So does the number of frames, which page time limits.
    if (!task.handlers && !isLeft(task)) steps += 1;
    if (task.repeats) repeat(task);
    else tasks.delete(task.id);
    const before = owner;
    depth = task.depth;
    owner = task.owner;
    try {
      task.callback();
    } catch (error) {
      scope.reportError(error);
    } finally {
      depth = 0;
      owner = before;
    }
  };

  const disarm = () => {
    if (armed?.timer) realClearTimeout(armed.timer);
    if (armed?.frame) realCancelFrame(armed.frame);
    armed = null;
  };
  // Waits in real time for the first task in page time.
  const pace = () => {
    const task = mode === "paced" ? next(() => true) : null;
    if (armed && armed.task === task) return;
    disarm();
    if (!task) return;
    const arming = { task };
    armed = arming;
    const fire = () => {
      if (armed !== arming) return;
      armed = null;
      run(task);
      pace();
    };
    const wait = task.realDue - realNow();
    if (task === frameTask && realFrame) arming.frame = realFrame(fire);
    // The browser delays timers started by timers, but not tasks.
    else if (wait < 1 && realPostTask) realPostTask(fire);
    else arming.timer = realSetTimeout(fire, wait);
  };

  const timer = (repeats) => (handler, delay, ...args) => {
    const callback =
      typeof handler === "function" ? () => handler.apply(scope, args) : () => scope.eval(String(handler));
    const nested = depth + 1;
    const least = nested > 5 ? 4 : 1;
    return add({ callback, repeats, depth: nested }, Math.max(Number(delay) | 0, least)).id;
  };
  const clear = (id) => {
    if (tasks.delete(Number(id))) pace();
  };

  // Early motion gets short frames; later frames are longer, so that long loops end soon.
  const frameLength = () => (frames < 30 ? frame : frames < 80 ? 50 : 100);
  const untilFrame = () => {
    const length = frameLength();
    return (Math.floor(elapsed / length + 1e-6) + 1) * length - elapsed;
  };
  const runFrame = (task) => {
    frameTask = null;
    runningFrame = task;
    frames += 1;
    for (const [id, handler] of task.handlers) {
      if (!task.handlers.delete(id)) continue;
      try {
        handler(origin + elapsed);
      } catch (error) {
        scope.reportError(error);
      }
    }
  };
  const requestFrame = (handler) => {
    if (!frameTask) {
      const task = { handlers: new Map(), depth: 0 };
      task.callback = () => runFrame(task);
      frameTask = task;
      add(task, untilFrame());
    }
    lastId += 1;
    frameTask.handlers.set(lastId, handler);
    return lastId;
  };
  const cancelFrame = (id) => {
    for (const task of [frameTask, runningFrame]) task?.handlers.delete(id);
  };

  const requestIdle = (handler) => {
    let left = 50;
    // Each question takes a millisecond, or a loop using all of the time would never end.
    const deadline = { didTimeout: false, timeRemaining: () => Math.max(0, (left -= 1)) };
    return add({ callback: () => handler(deadline), depth: 0 }, 1).id;
  };

  const functions = {
    setTimeout: timer(false),
    setInterval: timer(true),
    clearTimeout: clear,
    clearInterval: clear,
    ...(realFrame && { requestAnimationFrame: requestFrame, cancelAnimationFrame: cancelFrame }),
    ...(scope.requestIdleCallback && { requestIdleCallback: requestIdle, cancelIdleCallback: clear }),
  };
  for (const [name, value] of Object.entries(functions)) {
    Object.defineProperty(value, "name", { value: name });
    scope[name] = value;
  }

  // Timers left by an earlier story. Frames are excepted: animation libraries keep one loop for all
  // stories.
  const isLeft = (task) => task.owner !== 0 && task.owner !== story && !task.handlers;
  const isAllowed = (task) => task.delay < longestWait && task.due <= horizon && !isLeft(task);
  const setMode = (value) => {
    mode = value;
    pace();
  };

  const shared = {
    hooks: { reset: [], unfinished: [], beforeImage: [], findings: [], afterImage: [] },
    limits,
    origin,
    read,
    elapsed: () => elapsed,
    // The number of possible changes without a mutation, started or run by the page.
    activity: () => activity,
    noteActivity: () => {
      activity += 1;
    },
    // The clock of a story starts at zero, however long loading took. Timers started while loading
    // modules belong to no story.
    rewind: (isRendering) => {
      if (isRendering) story += 1;
      owner = isRendering ? story : 0;
      for (const task of tasks.values()) task.due -= elapsed;
      elapsed = asked = steps = frames = 0;
      horizon = limits.pageTime;
      longestWait = limits.longestWait;
    },
    // A story with a delay waits for all timers within the delay.
    allow: (milliseconds) => {
      horizon = Math.max(horizon, elapsed + milliseconds);
      longestWait = Math.max(longestWait, milliseconds + 1);
    },
    exhaust: () => {
      steps = limits.steps;
    },
    hasStep: () => steps < limits.steps && next(isAllowed) !== null,
    // Runs the next timer or frame in page time, and returns whether one was left.
    step: () => {
      const task = steps < limits.steps ? next(isAllowed) : null;
      if (!task) return false;
      run(task);
      return true;
    },
    // Runs the frame awaited by the page, at the current time.
    repaint: () => {
      if (!frameTask) return;
      frameTask.due = elapsed;
      run(frameTask);
    },
    drive: () => setMode("driven"),
    resume: () => setMode("paced"),
    leftTimers: () => [...tasks.values()].filter(isLeft).length,
    shortTimers: () => [...tasks.values()].filter((task) => !task.repeats && isAllowed(task)).length,
    // Timers with a possible change after the end of the story.
    pendingTimers: () =>
      [...tasks.values()].filter((task) => !task.handlers && (task.repeats ? task.delay < longestWait : isAllowed(task))),
    hasFrame: () => Boolean(frameTask?.handlers.size),
    // The real clock and frames, for the capture itself.
    time: realNow,
    wait: (milliseconds) => new Promise((done) => realSetTimeout(done, milliseconds)),
    nextFrame: () => (realFrame ? new Promise((done) => realFrame(() => done())) : shared.wait(frame)),
    // Resolves once the page has run everything ready to run.
    idle: () =>
      realPostTask ? realPostTask(() => {}, { priority: "background" }) : shared.wait(0),
  };
  Object.defineProperty(scope, "__visualReview", { value: shared, configurable: true });
})();

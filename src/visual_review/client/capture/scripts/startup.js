// Notices soon when the preview cannot start, instead of waiting for the time limit.
(() => {
  const shared = window.__visualReview;
  // Only the page itself has a preview to start.
  if (window !== window.top) return;
  const pause = 100;
  const quietAfterError = SETTINGS.startupQuiet;
  // Without an error, the preview may only be slow.
  const quietWithoutPreview = 2 * quietAfterError;
  const most = 3;
  const errors = new Set();
  const missing = new Set();
  const refused = new Set();
  let started = false;
  let lastActivity = shared.time();
  let lastTick = lastActivity;

  const record = (list, text) => {
    lastActivity = shared.time();
    if (list.size < most) list.add(text.slice(0, 500));
  };

  const isOwn = (url) => url.startsWith(`${window.location.origin}/`);

  const onError = (event) => {
    const script = event.target;
    if (script instanceof HTMLScriptElement) {
      if (script.src && !isOwn(script.src)) record(refused, script.src);
      else if (!script.src || script.type === "module") record(errors, "a script could not be loaded");
    } else if (event instanceof ErrorEvent && (!event.filename || isOwn(event.filename))) {
      record(errors, event.message);
    }
  };
  const onRejection = (event) => record(errors, String(event.reason?.message ?? event.reason));

  const resources = new PerformanceObserver((list) => {
    lastActivity = shared.time();
    for (const { name, responseStatus } of list.getEntries()) {
      if (responseStatus >= 400) record(missing, `${new URL(name).pathname} is missing (status ${responseStatus})`);
    }
  });

  const describe = () => {
    const others = [...refused].map((url) => `${url} could not be loaded; allow its host with --allow-host`);
    const reasons = [...missing, ...errors, ...others];
    return reasons.join("; ") || "no script of its page starts it, so the Storybook is not complete";
  };

  const isStuck = () => {
    const now = shared.time();
    // A page running a script, or waiting for a response, has not been silent.
    const busy = now - lastTick > 4 * pause || shared.loading().length;
    if (document.readyState !== "complete" || busy) lastActivity = now;
    lastTick = now;
    const quiet = now - lastActivity;
    // A started preview may still wait for something, unless its scripts have failed.
    const begun = Boolean(window.__STORYBOOK_ADDONS_CHANNEL__);
    if (quiet <= (errors.size ? quietAfterError : begun ? Infinity : quietWithoutPreview)) return false;
    // A silent page may only be waiting for a core.
    if (shared.share() < 1) lastActivity = now;
    return now !== lastActivity;
  };

  const watch = async () => {
    while (!started && !isStuck()) await shared.wait(pause);
    window.removeEventListener("error", onError, true);
    window.removeEventListener("unhandledrejection", onRejection);
    resources.disconnect();
    return describe();
  };

  window.addEventListener("error", onError, true);
  window.addEventListener("unhandledrejection", onRejection);
  resources.observe({ type: "resource", buffered: true });
  const whenReady = shared.ready.then((problem) => {
    started = true;
    return problem;
  });
  shared.ready = Promise.race([whenReady, watch().then((problem) => (started ? whenReady : problem))]);
})();

// The clock of a worker: it runs all of its timers at once, and says when it has nothing left.
(() => {
  const shared = globalThis.__visualReview;
  let received = 0;
  let loading = 0;
  let running = false;

  const during = (promise) => {
    const end = () => {
      loading -= 1;
      work();
    };
    loading += 1;
    promise.then(end, end);
    return promise;
  };
  const wrap = (owner, name) => {
    const real = owner[name];
    owner[name] = function (...args) {
      return during(real.apply(this, args));
    };
  };
  wrap(globalThis, "fetch");
  for (const name of ["json", "text", "blob", "arrayBuffer", "formData"]) wrap(Response.prototype, name);

  // Only the worker of one page has one; others have a port for each page.
  const post = globalThis.postMessage?.bind(globalThis);
  const work = async () => {
    if (running) return;
    running = true;
    await shared.idle();
    while (!loading && shared.step()) await shared.idle();
    running = false;
    if (!loading) post?.({ __visualReview: received });
  };
  // Page time begins anew with every message, or a worker that has been asked once stands still.
  globalThis.addEventListener("message", () => {
    received += 1;
    shared.allow(shared.limits.pageTime);
    work();
  });
  shared.drive();
  post?.({ __visualReview: -1 });
  work();
})();

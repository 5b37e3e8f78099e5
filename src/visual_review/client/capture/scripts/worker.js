// The clock of a worker: runs all timers of the worker at once, and reports the end.
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

  // A shared worker has a port for each page.
  const post = globalThis.postMessage?.bind(globalThis);
  const ports = new Map();
  const reply = () => {
    post?.({ __visualReview: received });
    for (const [port, count] of ports) port.postMessage({ __visualReview: count });
  };
  const work = async () => {
    if (running) return;
    running = true;
    await shared.idle();
    while (!loading && shared.step()) await shared.idle();
    running = false;
    if (!loading) reply();
  };
  // Page time begins anew with every message: otherwise a worker would stand still after one
  // message.
  const resume = () => {
    shared.allow(shared.limits.pageTime);
    work();
  };
  globalThis.addEventListener("message", () => {
    received += 1;
    resume();
  });
  globalThis.addEventListener("connect", ({ ports: [port] }) => {
    ports.set(port, 0);
    port.addEventListener("message", () => {
      ports.set(port, ports.get(port) + 1);
      resume();
    });
    port.postMessage({ __visualReview: -1 });
    resume();
  });
  shared.drive();
  post?.({ __visualReview: -1 });
  work();
})();

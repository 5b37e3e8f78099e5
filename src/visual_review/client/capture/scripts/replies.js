// Waits for workers; each worker reports the end of its work.
(() => {
  const shared = window.__visualReview;
  if (!window.Worker) return;
  // For workers without a reply.
  const patience = 2000;
  // By the worker, or the port of a shared worker.
  const states = new WeakMap();
  const { addEventListener } = EventTarget.prototype;

  const expect = (port) => {
    const state = states.get(port);
    state.end();
    state.end = shared.loadsBegin("a worker had not replied");
    if (state.isPrepared) return;
    const { end } = state;
    shared.limit(patience).ends.then(() => state.isPrepared || end());
  };
  const onMessage = (event, port) => {
    const state = states.get(port);
    const received = event.data?.__visualReview;
    if (typeof received !== "number") return;
    event.stopImmediatePropagation();
    state.isPrepared = true;
    if (received === state.sent) state.end();
  };
  const watch = (name, portOf) => {
    const Real = window[name];
    if (!Real) return;
    window[name] = new Proxy(Real, {
      construct: (target, args, newTarget) => {
        const worker = Reflect.construct(target, args, newTarget);
        const port = portOf(worker);
        states.set(port, { sent: 0, isPrepared: false, end: () => {} });
        addEventListener.call(port, "message", (event) => onMessage(event, port));
        addEventListener.call(worker, "error", () => states.get(port).end());
        expect(port);
        return worker;
      },
    });
  };
  const watchMessages = (prototype, end) => {
    const { postMessage, [end]: realEnd } = prototype;
    prototype.postMessage = function (...args) {
      const state = states.get(this);
      if (state) {
        state.sent += 1;
        expect(this);
      }
      return postMessage.apply(this, args);
    };
    prototype[end] = function () {
      states.get(this)?.end();
      return realEnd.call(this);
    };
  };
  watchMessages(window.Worker.prototype, "terminate");
  watch("Worker", (worker) => worker);
  watchMessages(window.MessagePort.prototype, "close");
  watch("SharedWorker", (worker) => worker.port);
})();

// Waits for workers, each of which says when it has nothing left to do.
(() => {
  const shared = window.__visualReview;
  const RealWorker = window.Worker;
  if (!RealWorker) return;
  // For workers that cannot say so.
  const patience = 2000;
  const states = new WeakMap();
  const { addEventListener } = EventTarget.prototype;
  const { postMessage, terminate } = RealWorker.prototype;

  const expect = (worker) => {
    const state = states.get(worker);
    state.end();
    state.end = shared.loadsBegin("a worker had not replied");
    const { end } = state;
    shared.wait(patience).then(() => state.isPrepared || end());
  };
  const onMessage = (event, worker) => {
    const state = states.get(worker);
    const received = event.data?.__visualReview;
    if (typeof received !== "number") return;
    event.stopImmediatePropagation();
    state.isPrepared = true;
    if (received === state.sent) state.end();
  };
  window.Worker = new Proxy(RealWorker, {
    construct: (target, args, newTarget) => {
      const worker = Reflect.construct(target, args, newTarget);
      states.set(worker, { sent: 0, isPrepared: false, end: () => {} });
      addEventListener.call(worker, "message", (event) => onMessage(event, worker));
      addEventListener.call(worker, "error", () => states.get(worker).end());
      expect(worker);
      return worker;
    },
  });
  RealWorker.prototype.postMessage = function (...args) {
    const state = states.get(this);
    if (state) {
      state.sent += 1;
      expect(this);
    }
    return postMessage.apply(this, args);
  };
  RealWorker.prototype.terminate = function () {
    states.get(this)?.end();
    return terminate.call(this);
  };
})();

// Waits for what workers reply: their clock is their own, and so is their pace.
(() => {
  const shared = window.__visualReview;
  // A worker that is silent for longer may have nothing to reply.
  const patience = 2000;
  const ends = new WeakMap();

  const expect = (worker) => {
    ends.get(worker)?.();
    const end = shared.loadsBegin("a worker had not replied");
    ends.set(worker, end);
    shared.wait(patience).then(end);
  };
  const RealWorker = window.Worker;
  if (!RealWorker) return;
  const { addEventListener } = EventTarget.prototype;
  window.Worker = new Proxy(RealWorker, {
    construct: (target, args, newTarget) => {
      const worker = Reflect.construct(target, args, newTarget);
      for (const name of ["message", "messageerror", "error"]) {
        addEventListener.call(worker, name, () => ends.get(worker)?.());
      }
      expect(worker);
      return worker;
    },
  });
  const { postMessage, terminate } = RealWorker.prototype;
  RealWorker.prototype.postMessage = function (...args) {
    expect(this);
    return postMessage.apply(this, args);
  };
  RealWorker.prototype.terminate = function () {
    ends.get(this)?.();
    return terminate.call(this);
  };
})();

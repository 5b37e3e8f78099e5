// Asks for a frame for every wait, if the browser renders frames on request only.
(() => {
  const ask = globalThis.__visualReviewFrame;
  const realFrame = globalThis.requestAnimationFrame;
  if (!ask || !realFrame) return;
  delete globalThis.__visualReviewFrame;
  // A view transition animates images of the page, and only shown frames provide these images.
  let transitions = 0;
  const askForFrame = () => ask(transitions ? "shown" : "");
  globalThis.requestAnimationFrame = (handler) => {
    const id = realFrame.call(globalThis, handler);
    askForFrame();
    return id;
  };

  const onTransitionEnd = () => {
    transitions -= 1;
    askForFrame();
  };
  for (const prototype of [globalThis.Document?.prototype, globalThis.Element?.prototype]) {
    const start = prototype?.startViewTransition;
    if (!start) continue;
    prototype.startViewTransition = function (...args) {
      const transition = start.apply(this, args);
      transitions += 1;
      askForFrame();
      transition.finished.then(onTransitionEnd, onTransitionEnd);
      return transition;
    };
  }
})();

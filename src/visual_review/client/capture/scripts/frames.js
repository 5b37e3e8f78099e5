// Asks for a frame wherever one is waited for, if the browser renders frames on request only.
(() => {
  const ask = globalThis.__visualReviewFrame;
  const realFrame = globalThis.requestAnimationFrame;
  if (!ask || !realFrame) return;
  delete globalThis.__visualReviewFrame;
  globalThis.requestAnimationFrame = (handler) => {
    const id = realFrame.call(globalThis, handler);
    ask("");
    return id;
  };
})();

// A story replacing the clock or the random numbers does so only for itself.
(() => {
  const shared = window.__visualReview;
  const watched = [
    ...["Date", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "requestAnimationFrame"]
      .concat(["cancelAnimationFrame", "requestIdleCallback", "cancelIdleCallback", "queueMicrotask", "fetch"])
      .concat(["XMLHttpRequest", "ResizeObserver", "IntersectionObserver", "MutationObserver", "Promise"])
      .map((name) => [window, "", name]),
    ...["now", "parse", "UTC"].map((name) => [window.Date, "Date.", name]),
    ...["random", "floor", "round"].map((name) => [Math, "Math.", name]),
    ...["now", "mark", "measure"].map((name) => [performance, "performance.", name]),
    ...["getRandomValues", "randomUUID"].map((name) => [Crypto.prototype, "crypto.", name]),
    ...["postMessage"].map((name) => [MessagePort.prototype, "MessagePort.", name]),
  ];
  let originals = null;

  const replaced = () => (originals ?? []).filter(([owner, , name, value]) => owner[name] !== value);
  const restore = () => {
    for (const [owner, , name, value] of replaced()) {
      Object.defineProperty(owner, name, { configurable: true, writable: true, enumerable: true, value });
    }
  };

  // Taken before the first story, because libraries of the preview may wrap the functions for all.
  shared.hooks.reset.push(() => {
    if (originals) restore();
    else originals = watched.map(([owner, prefix, name]) => [owner, prefix, name, owner[name]]);
  });
  shared.hooks.afterImage.push((result) => {
    for (const [, prefix, name] of replaced()) {
      (result.leftovers ??= []).push(`the story replaced ${prefix}${name}`);
    }
    restore();
    shared.resume();
  });
})();

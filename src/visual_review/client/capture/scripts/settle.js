// Waits until a story is stable, and reports why if it is not.
(() => {
  const shared = window.__visualReview;
  const quietFrames = 2;
  const roots = new Set();
  let changes = 0;
  let lastChange = "";
  let decoded = new WeakSet();

  const describe = (node) => {
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    if (!element) return node.nodeName;
    const name = element.localName + (element.id ? `#${element.id}` : "");
    const first = element.classList?.[0];
    return first ? `${name}.${first}` : name;
  };

  const isReal = (record) => {
    if (record.type === "attributes") {
      return record.target.getAttributeNS(record.attributeNamespace, record.attributeName) !== record.oldValue;
    }
    return record.type !== "characterData" || record.target.data !== record.oldValue;
  };

  const note = (records) => {
    for (const record of records) {
      if (!isReal(record)) continue;
      changes += 1;
      lastChange = describe(record.target);
    }
  };
  const observer = new MutationObserver(note);
  const observe = (root) => {
    roots.add(new WeakRef(root));
    observer.observe(root, {
      attributes: true,
      attributeOldValue: true,
      characterData: true,
      characterDataOldValue: true,
      childList: true,
      subtree: true,
    });
  };
  observe(document);

  // Closed shadow roots cannot be found later, so each is recorded when it is created.
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    observe(root);
    return root;
  };

  // Drawing on a canvas changes no node.
  const drawing = {
    CanvasRenderingContext2D: "clearRect drawImage fill fillRect fillText putImageData stroke strokeRect strokeText",
    WebGLRenderingContext: "clear drawArrays drawElements",
    WebGL2RenderingContext: "clear drawArrays drawArraysInstanced drawElements drawElementsInstanced",
  };
  for (const [owner, names] of Object.entries(drawing)) {
    const prototype = window[owner]?.prototype;
    for (const name of prototype ? names.split(" ") : []) {
      const real = prototype[name];
      prototype[name] = function (...args) {
        changes += 1;
        lastChange = "canvas";
        return real.apply(this, args);
      };
    }
  }

  const allRoots = () => {
    const alive = [];
    for (const reference of roots) {
      const root = reference.deref();
      if (!root) roots.delete(reference);
      else if (root === document || root.host.isConnected) alive.push(root);
    }
    return alive;
  };
  const all = (selector) => allRoots().flatMap((root) => [...root.querySelectorAll(selector)]);

  const hideCaret = () => {
    if (document.getElementById("visual-review-style")) return;
    const style = document.createElement("style");
    style.id = "visual-review-style";
    style.textContent =
      "*, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important; }";
    document.documentElement.append(style);
  };

  // In tests, Storybook pauses animations and plays them backwards, so that their beginning
  // looks like their end. Without its style they are finished as they were written.
  const isStorybookPause = (text) =>
    text.includes("animation-play-state: paused !important") && text.includes("animation-direction:");
  const removeStorybookPause = () => {
    for (const style of document.head.querySelectorAll("style")) {
      if (isStorybookPause(style.textContent)) style.remove();
    }
  };

  const stopAnimations = () => {
    for (const root of allRoots()) {
      for (const animation of root.getAnimations()) {
        // Scroll-driven animations do not move by themselves.
        if (!(animation.timeline instanceof DocumentTimeline)) continue;
        const end = animation.effect?.getComputedTiming().endTime;
        try {
          if (Number.isFinite(end)) animation.finish();
          else animation.cancel();
        } catch {
          animation.cancel();
        }
      }
    }
    for (const image of all("svg")) {
      if (!image.animationsPaused?.()) {
        image.pauseAnimations?.();
        image.setCurrentTime?.(0);
      }
    }
    for (const media of all("video, audio")) {
      media.autoplay = false;
      if (!media.paused) media.pause();
      if (media.currentTime) media.currentTime = 0;
    }
  };

  const loadAll = () => {
    for (const element of all("img[loading=lazy], iframe[loading=lazy]")) element.loading = "eager";
  };

  const decodeImages = (deadline) => {
    const images = all("img").filter((image) => image.complete && image.naturalWidth && !decoded.has(image));
    for (const image of images) decoded.add(image);
    const done = Promise.allSettled(images.map((image) => image.decode()));
    return Promise.race([done, shared.wait(Math.max(0, deadline - shared.time()))]);
  };

  const unfinished = () => {
    const reasons = [];
    const images = all("img").filter((image) => !image.complete && (image.currentSrc || image.src));
    if (images.length) reasons.push(`an image was still loading (${images[0].currentSrc || images[0].src})`);
    if (document.fonts.status === "loading") reasons.push("a font was still loading");
    const timers = shared.shortTimers();
    if (timers) reasons.push(`${timers} short timer(s) had not fired`);
    return reasons.concat(...shared.hooks.unfinished.map((hook) => hook()));
  };

  Object.assign(shared, {
    // Resolves to null if the page is stable, otherwise to the reason why it is not.
    settle: async (milliseconds) => {
      const deadline = shared.time() + milliseconds;
      decoded = new WeakSet();
      let quiet = 0;
      for (;;) {
        hideCaret();
        removeStorybookPause();
        loadAll();
        stopAnimations();
        await decodeImages(deadline);
        await shared.nextFrame();
        note(observer.takeRecords());
        const reasons = unfinished();
        if (changes) reasons.push(`the page kept changing (${lastChange})`);
        changes = 0;
        quiet = reasons.length ? 0 : quiet + 1;
        if (quiet >= quietFrames) return null;
        if (shared.time() > deadline) return reasons.join("; ") || "frames were too slow";
      }
    },
    height: () => {
      const { documentElement, body } = document;
      return Math.ceil(
        Math.max(documentElement.scrollHeight, body?.scrollHeight ?? 0, documentElement.getBoundingClientRect().height),
      );
    },
  });
})();

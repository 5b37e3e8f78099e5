// Ends everything moving by itself: animations, videos, the caret.
(() => {
  const shared = window.__visualReview;
  // An animation restarting at every end is held at its end.
  const mostRounds = 20;
  let rounds = new WeakMap();

  const style = `
    *, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important; }
    progress:indeterminate { appearance: none !important; }`;
  let owner = null;
  const hideCaret = () => {
    // A sheet belongs to one document, and the first document of a frame is replaced.
    if (owner !== document) {
      owner = document;
      shared.stillSheet = new CSSStyleSheet();
      shared.stillSheet.replaceSync(style);
    }
    const sheet = shared.stillSheet;
    for (const root of shared.roots()) {
      // No element is added: a story may replace all of its elements with every change.
      if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
    }
  };

  hideCaret();

  // In tests, Storybook pauses animations and plays them backwards, so that their beginning looks
  // like their end. Without Storybook's style, animations are finished as written.
  const isStorybookPause = (text) =>
    text.includes("animation-play-state: paused !important") && text.includes("animation-direction:");
  const removeStorybookPause = () => {
    for (const element of (document.head ?? document).querySelectorAll("style")) {
      if (isStorybookPause(element.textContent)) element.remove();
    }
  };

  const holdAtStart = (animation) => {
    animation.pause();
    animation.currentTime = animation.effect?.getComputedTiming().delay ?? 0;
  };
  const finish = (animation) => {
    if (shared.pausesAtStart?.()) {
      holdAtStart(animation);
      return;
    }
    const end = animation.effect?.getComputedTiming().endTime;
    const target = animation.effect?.target;
    const round = (rounds.get(target ?? animation) ?? 0) + 1;
    rounds.set(target ?? animation, round);
    try {
      if (!Number.isFinite(end)) animation.cancel();
      else if (round <= mostRounds) animation.finish();
      else {
        animation.pause();
        // Just before the end, because reaching the end starts the next round.
        animation.currentTime = Math.max(0, end - 0.01);
      }
    } catch {
      animation.cancel();
    }
  };
  // Scroll-driven animations do not move by themselves.
  const moves = (animation) => animation.timeline instanceof DocumentTimeline && animation.playState === "running";
  const stopAnimations = () => {
    const moving = shared.roots().flatMap((root) => root.getAnimations().filter(moves));
    moving.forEach(finish);
    return moving.length > 0;
  };

  // Storybook hides a slow story until a timer stops. After replacing `clearTimeout`, a story would
  // stay hidden although rendered.
  const showStory = () => {
    const { classList } = document.body ?? {};
    if (classList?.contains("sb-show-preparing-story")) classList.replace("sb-show-preparing-story", "sb-show-main");
  };

  const stopMedia = () => {
    for (const image of shared.all("svg")) {
      if (!image.animationsPaused?.()) {
        image.pauseAnimations?.();
        image.setCurrentTime?.(0);
      }
    }
    for (const media of shared.all("video, audio")) {
      media.autoplay = false;
      if (!media.paused) media.pause();
      if (media.currentTime) media.currentTime = 0;
    }
    for (const marquee of shared.all("marquee")) stopMarquee(marquee);
  };
  // The text of a marquee starts outside of the marquee, and would be invisible there.
  const stopMarquee = (marquee) => {
    if (marquee.behavior === "alternate" && marquee.scrollAmount === 0) return;
    marquee.behavior = "alternate";
    marquee.scrollAmount = 0;
  };

  // Smooth scrolling follows the real time.
  const scrollAtOnce = (owner, names) => {
    for (const name of names) {
      const real = owner[name];
      owner[name] = function (options, ...rest) {
        const isSmooth = options?.behavior === "smooth";
        return real.call(this, isSmooth ? { ...options, behavior: "instant" } : options, ...rest);
      };
    }
  };
  scrollAtOnce(Element.prototype, ["scroll", "scrollTo", "scrollBy", "scrollIntoView"]);
  scrollAtOnce(window, ["scroll", "scrollTo", "scrollBy"]);

  Object.assign(shared, {
    stopAnimations,
    calm: () => {
      hideCaret();
      removeStorybookPause();
      showStory();
      for (const element of shared.all("img[loading=lazy], iframe[loading=lazy]")) element.loading = "eager";
      stopMedia();
    },
  });
  shared.hooks.reset.push(() => {
    rounds = new WeakMap();
  });
})();

// Reasons to take a second image: changes independent of the virtual clock.
(() => {
  const shared = window.__visualReview;
  let connections = [];

  const watch = (name, words) => {
    const Real = window[name];
    if (!Real) return;
    window[name] = new Proxy(Real, {
      construct: (target, args, newTarget) => {
        const made = Reflect.construct(target, args, newTarget);
        connections.push({ reference: new WeakRef(made), words });
        return made;
      },
    });
  };
  watch("Worker", "a worker was running");
  watch("SharedWorker", "a shared worker was running");
  watch("EventSource", "a connection was open (EventSource)");
  watch("WebSocket", "a connection was open (WebSocket)");
  watch("RTCPeerConnection", "a connection was open (WebRTC)");
  watch("AudioContext", "audio was being played");

  const isForeign = (element) => {
    try {
      return !element.contentWindow?.__visualReview;
    } catch {
      return true;
    }
  };
  shared.doubts = () => {
    const reasons = new Set(connections.map(({ words }) => words));
    if (shared.all("iframe").some(isForeign)) reasons.add("a frame of another origin was shown");
    if (shared.all("video").length) reasons.add("a video was shown");
    return [...reasons];
  };
  // The animations inside of an image cannot be stopped from outside.
  const vectors = new Map();
  const isAnimated = (url) => {
    if (!vectors.has(url)) {
      const text = shared.fetchText(url).catch(() => "");
      vectors.set(url, text.then((source) => /<animate|<set\b|@keyframes/.test(source)));
    }
    return vectors.get(url);
  };
  const isVector = (url) => /^data:image\/svg|^[^?#]*\.svg\b/.test(url);
  const isOwn = (url) => url.startsWith("data:") || url.startsWith(`${location.origin}/`);
  const findVectors = async () => {
    const urls = new Set(shared.all("img").map(({ currentSrc }) => currentSrc));
    const own = [...urls].filter((url) => isVector(url) && isOwn(url));
    const found = await Promise.all(own.map(isAnimated));
    return found.includes(true) ? ["an animated SVG image was shown"] : [];
  };

  shared.hooks.findings.push(async (result) => {
    (result.doubts ??= []).push(...shared.doubts(), ...(await findVectors()));
  });
  shared.hooks.reset.push(() => {
    connections = [];
  });
})();

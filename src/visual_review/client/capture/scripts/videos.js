// Lets a loop paint a video on a canvas, however late the video arrives.
(() => {
  const shared = window.__visualReview;
  const painted = new WeakSet();

  // A video reports readiness before a canvas can paint any frame.
  const hasFrame = (video) => {
    const scratch = new OffscreenCanvas(1, 1).getContext("2d");
    try {
      scratch.drawImage(video, 0, 0, 1, 1);
      return scratch.getImageData(0, 0, 1, 1).data[3] > 0;
    } catch {
      // Pixels of another origin cannot be read.
      return true;
    }
  };
  const isNew = (video) => video.readyState >= 2 && video.videoWidth > 0 && !video.seeking && !painted.has(video);

  // All frames of the loop may have run before, so the page has to be quiet again after this frame.
  const paint = (video) => {
    if (!hasFrame(video)) return "a video had no frame to show";
    painted.add(video);
    shared.repaint();
    return "a video had just arrived";
  };

  shared.hooks.unfinished.push(() => (shared.hasStep() ? [] : shared.all("video").filter(isNew).map(paint)));
})();

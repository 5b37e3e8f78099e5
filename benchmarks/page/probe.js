// Runs in the measured page before its own scripts: notes when things are painted.
(() => {
  const LINE = ".line[data-key]";
  const SLOT = ".thumbnail";
  const UNCOVERED_PIXELS = 8;

  const probe = {
    firstTile: 0,
    allTiles: 0,
    longestBlank: 0,
    blankLine: "",
    frames: 0,
    keys: [],
    images: [],
    answers: [],
    isWatching: false,
  };
  window.pageProbe = probe;

  const isPainted = (slot) => {
    const image = slot.matches("img, canvas") ? slot : slot.querySelector("img, canvas");
    return image instanceof HTMLCanvasElement || Boolean(image?.complete && image.naturalWidth);
  };
  const isFilled = (line) => [...line.querySelectorAll(SLOT)].every(isPainted);

  const scroller = () => {
    for (let each = document.querySelector(LINE)?.parentElement; each; each = each.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(each).overflowY)) {
        return each;
      }
    }
    return null;
  };
  probe.scroller = scroller;

  const linesInView = (box) =>
    [...document.querySelectorAll(LINE)]
      .map((line) => ({ line, rect: line.getBoundingClientRect() }))
      .filter(({ rect }) => rect.bottom > box.top && rect.top < box.bottom && rect.height > 0)
      .sort((one, other) => one.rect.top - other.rect.top);

  const uncovered = (box, lines) => {
    let reached = box.top;
    let missing = 0;
    for (const { rect } of lines) {
      missing = Math.max(missing, rect.top - reached);
      reached = Math.max(reached, rect.bottom);
    }
    return Math.max(missing, box.bottom - reached);
  };

  const since = new Map();
  const noteBlanks = (time, blank) => {
    for (const key of since.keys()) {
      if (!blank.has(key)) {
        since.delete(key);
      }
    }
    for (const key of blank) {
      since.set(key, since.get(key) ?? time);
      const lasted = time - since.get(key);
      if (lasted > probe.longestBlank) {
        probe.longestBlank = lasted;
        probe.blankLine = key;
      }
    }
  };

  const look = (time) => {
    requestAnimationFrame(look);
    const element = scroller();
    if (!element) {
      return;
    }
    const box = element.getBoundingClientRect();
    const lines = linesInView(box);
    const slots = lines.flatMap(({ line }) => [...line.querySelectorAll(SLOT)]);
    if (!probe.firstTile && slots.some(isPainted)) {
      probe.firstTile = performance.now();
    }
    if (!probe.allTiles && slots.length && slots.every(isPainted)) {
      probe.allTiles = performance.now();
    }
    if (probe.isWatching) {
      probe.frames += 1;
      const blank = new Set(lines.filter(({ line }) => !isFilled(line)).map(({ line }) => line.dataset.key));
      const isShort = element.scrollHeight <= element.clientHeight;
      if (!isShort && uncovered(box, lines) > UNCOVERED_PIXELS) {
        blank.add("uncovered");
      }
      noteBlanks(time, blank);
    }
  };
  requestAnimationFrame(look);

  // The next task after a frame: what was set in the frame is painted by then.
  const whenPainted = (action) => requestAnimationFrame(() => setTimeout(action));

  addEventListener("keydown", (event) => {
    const noted = { key: event.key, at: event.timeStamp, shown: 0 };
    const review = document.querySelector("#review");
    const before = review?.dataset.unsaved;
    probe.keys.push(noted);
    const lookAgain = () => {
      if (document.querySelector("#review")?.dataset.unsaved !== before) {
        whenPainted(() => (noted.shown = performance.now()));
      } else if (performance.now() - noted.at < 5000) {
        setTimeout(lookAgain);
      }
    };
    setTimeout(lookAgain);
  }, true);

  document.addEventListener("viewerimage", (event) => {
    const { id, side, ok } = event.detail ?? {};
    whenPainted(() => probe.images.push({ id, side, ok, at: performance.now() }));
  }, true);

  const { fetch } = window;
  window.fetch = async (...request) => {
    const began = performance.now();
    const response = await fetch(...request);
    const url = String(request[0]?.url ?? request[0]);
    probe.answers.push({ path: new URL(url, location.href).pathname, began, at: performance.now(), status: response.status });
    return response;
  };
})();

// Ways to show a pair of tall images: the element, and the simpler ones that it is compared with.
// Each draws at a place on demand; the page of the benchmark moves through the image.

const VIEW = { width: 700, height: 800 };

/** One canvas per side, drawn from parts of at most this height. */
async function startCanvases(size, height) {
  const panes = [];
  for (const side of ["before", "after"]) {
    const blob = await (await fetch(`/${side}.png`)).blob();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, VIEW);
    document.body.append(canvas);
    panes.push([canvas.getContext("2d"), await divide(await createImageBitmap(blob), height)]);
  }
  return (zoom, y) => {
    for (const [context, parts] of panes) {
      context.setTransform(zoom, 0, 0, zoom, 0, VIEW.height / 2 - y * zoom);
      for (const [top, part] of parts) {
        const isVisible = Math.abs(top + part.height / 2 - y) * zoom < (VIEW.height + part.height * zoom) / 2;
        if (isVisible) {
          context.drawImage(part, 0, top);
        }
      }
    }
  };
}

async function divide(bitmap, height) {
  if (bitmap.height <= height) {
    return [[0, bitmap]];
  }
  const parts = [];
  for (let top = 0; top < bitmap.height; top += height) {
    const rest = Math.min(height, bitmap.height - top);
    parts.push([top, await createImageBitmap(bitmap, 0, top, bitmap.width, rest)]);
  }
  bitmap.close();
  return parts;
}

/** Image elements that the browser scales and moves. */
async function startElements(size) {
  const images = [];
  for (const side of ["before", "after"]) {
    const image = new Image(size.width, size.height);
    image.src = `/${side}.png`;
    const frame = document.createElement("div");
    frame.className = "frame";
    frame.append(image);
    document.body.append(frame);
    await image.decode();
    images.push(image);
  }
  return (zoom, y) => {
    for (const image of images) {
      const top = VIEW.height / 2 - y * zoom;
      image.style.setProperty("transform", `translate(0, ${top}px) scale(${zoom})`);
    }
  };
}

/** The element of the review page. */
async function startViewer(size) {
  await import("/viewer/screenshot_viewer.js");
  const viewer = document.createElement("screenshot-viewer");
  document.body.append(viewer);
  const loaded = new Promise((resolve) => {
    let count = 0;
    viewer.addEventListener("viewerimage", () => ++count === 2 && resolve());
  });
  const source = (side) => ({ url: `/${side}.png`, ...size });
  viewer.screenshot = {
    id: "tall",
    label: "Tall",
    state: "changed",
    before: source("before"),
    after: source("after"),
    diff: null,
    changes: [],
    boxes: [],
    regions: [],
  };
  await loaded;
  const view = viewer.shadowRoot.querySelector(".view");
  viewer.state = { ...viewer.state, fit: "free", zoom: 1, x: size.width / 2, y: 0 };
  return (zoom, y) => {
    const now = viewer.state;
    if (now.zoom !== zoom) {
      viewer.state = { ...now, fit: "free", zoom, y };
    }
    const turned = { deltaY: (y - now.y) * zoom, bubbles: true, composed: true, cancelable: true };
    view.dispatchEvent(new WheelEvent("wheel", turned));
  };
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Show a pair, move through it at two zooms, and return milliseconds. */
globalThis.measure = async (way, size, frames) => {
  const ways = {
    viewer: startViewer,
    bitmap: (of) => startCanvases(of, Infinity),
    tiles: (of) => startCanvases(of, 2048),
    elements: startElements,
  };
  const begin = performance.now();
  const show = await ways[way](size);
  show(1, 400);
  await nextFrame();
  await nextFrame();
  const result = { first: performance.now() - begin, zooms: {} };
  for (const zoom of [0.25, 0.5, 1, 4]) {
    show(zoom, 1000);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const times = [];
    let last = await nextFrame();
    for (let frame = 1; frame <= frames; frame += 1) {
      show(zoom, 1000 + (frame * (size.height - 2000)) / frames);
      const now = await nextFrame();
      times.push(now - last);
      last = now;
    }
    result.zooms[zoom] = times;
  }
  return result;
};

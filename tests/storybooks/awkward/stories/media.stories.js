import { add, counter, show } from "./show.js";

export default { title: "Media" };

const video = (root, properties) => add(root, "video", { src: "./counting.webm", muted: true, ...properties }, "width: 240px");

export const Gif = show((root) => add(root, "img", { src: "./counting.gif", alt: "" }));
export const VideoPaused = show((root) => video(root, {}));
export const VideoAutoplay = show((root) => video(root, { autoplay: true, loop: true }));
export const VideoControls = show((root) => video(root, { controls: true }));
export const VideoPlayed = show((root) => {
  setTimeout(() => video(root, { loop: true }).play().catch(() => {}), 50);
});
export const VideoTime = show((root) => {
  const output = add(root, "p");
  const element = video(root, { autoplay: true });
  element.ontimeupdate = () => (output.textContent = element.currentTime);
});
export const VideoOnCanvas = show((root) => {
  const element = video(root, { autoplay: true, loop: true });
  const canvas = add(root, "canvas", { width: 240, height: 120 });
  const paint = () => {
    canvas.getContext("2d").drawImage(element, 0, 0, 240, 120);
    requestAnimationFrame(paint);
  };
  paint();
});
// It starts so late that no frame is left when it can be painted.
export const VideoLateOnCanvas = show((root) => {
  const element = add(root, "video", { muted: true }, "width: 240px");
  const canvas = add(root, "canvas", { width: 240, height: 120 });
  const started = performance.now();
  const paint = () => {
    if (!element.src && performance.now() - started > 9_500) element.src = "./counting.webm";
    canvas.getContext("2d").drawImage(element, 0, 0, 240, 120);
    requestAnimationFrame(paint);
  };
  paint();
});
export const Canvas2dLoop = show((root) => {
  const context = add(root, "canvas", { width: 300, height: 120 }).getContext("2d");
  let angle = 0;
  const paint = () => {
    context.fillStyle = "#fff2";
    context.fillRect(0, 0, 300, 120);
    context.fillStyle = "navy";
    context.fillRect(140 + 100 * Math.cos(angle), 50 + 40 * Math.sin(angle), 12, 12);
    angle += 0.07;
    requestAnimationFrame(paint);
  };
  paint();
});
export const CanvasParticles = show((root) => {
  const context = add(root, "canvas", { width: 300, height: 120 }).getContext("2d");
  const particles = Array.from({ length: 80 }, () => ({ x: Math.random() * 300, y: Math.random() * 120, speed: Math.random() }));
  const paint = () => {
    context.clearRect(0, 0, 300, 120);
    for (const particle of particles) {
      particle.y = (particle.y + particle.speed) % 120;
      context.fillRect(particle.x, particle.y, 3, 3);
    }
    requestAnimationFrame(paint);
  };
  paint();
});
export const CanvasInterval = show((root) => {
  const context = add(root, "canvas", { width: 300, height: 120 }).getContext("2d");
  setInterval(() => {
    context.fillStyle = `hsl(${Math.random() * 360} 70% 50%)`;
    context.fillRect(Math.random() * 280, Math.random() * 100, 20, 20);
  }, 50);
});
export const CanvasOfImage = show((root) => {
  const context = add(root, "canvas", { width: 200, height: 200 }).getContext("2d");
  const image = new window.Image();
  image.onload = () => context.drawImage(image, 0, 0);
  image.src = "./squares.png?canvas";
});
export const WebGlTriangle = show((root) => {
  const canvas = add(root, "canvas", { width: 200, height: 120 });
  const gl = canvas.getContext("webgl", { preserveDrawingBuffer: true });
  if (!gl) return root.append("no WebGL");
  let shade = 0;
  const paint = () => {
    shade = (shade + 0.013) % 1;
    gl.clearColor(shade, 0.4, 1 - shade, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    requestAnimationFrame(paint);
  };
  paint();
});
export const BitmapDecoded = show((root) => {
  const context = add(root, "canvas", { width: 200, height: 200 }).getContext("2d");
  fetch("./squares.png?bitmap").then((response) => response.blob()).then(createImageBitmap)
    .then((bitmap) => context.drawImage(bitmap, 0, 0));
});
export const FrameCallbacks = show((root) => {
  const output = add(root, "p");
  const next = counter((word, count) => (output.textContent = count));
  const element = video(root, { autoplay: true, loop: true });
  const step = () => next() && element.requestVideoFrameCallback(step);
  element.requestVideoFrameCallback(step);
});

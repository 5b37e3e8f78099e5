// Without this module the browser's own controls play the video, and each step is a link.

// Playwright and Cypress record 25 frames a second.
const FRAME = 1 / 25;
const SKIP_SECONDS = 5;

const video = document.querySelector("[data-player] video");
const bar = document.querySelector("[data-bar]");
const problem = document.querySelector("[data-problem]");
const speed = document.querySelector("[data-speed]");
const list = document.querySelector("[data-steps]");
const steps = [...document.querySelectorAll("a[data-start]")];
const starts = steps.map((step) => Number(step.dataset.start));
let current = -1;

function jump(seconds) {
  const end = Number.isFinite(video.duration) ? video.duration : Infinity;
  video.currentTime = Math.min(Math.max(0, seconds), end);
}

function stepFrames(count) {
  video.pause();
  jump(video.currentTime + count * FRAME);
}

function jumpToStep(index) {
  if (index < 0 || index >= steps.length) return;
  jump(starts[index]);
  mark(index);
}

// The last step that has started; the innermost of several that start together comes last.
function stepAt(seconds) {
  let found = -1;
  starts.forEach((start, index) => {
    if (start <= seconds + 0.001) found = index;
  });
  return found;
}

function mark(index) {
  if (index === current) return;
  steps[current]?.removeAttribute("aria-current");
  current = index;
  const step = steps[index];
  if (!step) return;
  step.setAttribute("aria-current", "step");
  // Scroll only the list, not the page.
  const top = step.offsetTop - list.scrollTop;
  if (top < 0 || top + step.offsetHeight > list.clientHeight) {
    list.scrollTop = step.offsetTop - list.clientHeight / 3;
  }
}

function changeSpeed(by) {
  const index = Math.min(Math.max(0, speed.selectedIndex + by), speed.options.length - 1);
  speed.selectedIndex = index;
  video.playbackRate = Number(speed.value);
}

const KEYS = {
  " ": () => (video.paused ? video.play() : video.pause()),
  k: () => (video.paused ? video.play() : video.pause()),
  ",": () => stepFrames(-1),
  ".": () => stepFrames(1),
  j: () => jump(video.currentTime - SKIP_SECONDS),
  l: () => jump(video.currentTime + SKIP_SECONDS),
  p: () => jumpToStep(current - 1),
  n: () => jumpToStep(current + 1),
  "<": () => changeSpeed(-1),
  ">": () => changeSpeed(1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Fields, buttons and the video's own controls handle their own keys; links only need Enter.
  if (event.target.closest("input, select, textarea, button, summary, video")) return;
  const action = KEYS[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});

for (const step of steps) {
  step.addEventListener("click", (event) => {
    // With a modifier key the browser opens the link as usual, such as in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    jumpToStep(steps.indexOf(step));
  });
}

for (const button of document.querySelectorAll("[data-frame]")) {
  button.addEventListener("click", () => stepFrames(Number(button.dataset.frame)));
}

speed.addEventListener("change", () => changeSpeed(0));
// A step that was jumped to stays marked, even if others start at the same time.
video.addEventListener("timeupdate", () => {
  if (starts[current] !== undefined && Math.abs(starts[current] - video.currentTime) < FRAME) return;
  mark(stepAt(video.currentTime));
});
function showProblem() {
  if (video.error) problem.hidden = false;
}

video.addEventListener("error", showProblem);
// The video may have failed before this module ran.
showProblem();
bar.hidden = false;

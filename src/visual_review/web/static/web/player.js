// Without this module the browser's own controls play the video, and each step is a link.

import { find, findAll } from "./elements.js";

// Playwright and Cypress record 25 frames a second.
const FRAME = 1 / 25;
const SKIP_SECONDS = 5;

const video = find("[data-player] video", HTMLVideoElement);
const bar = find("[data-bar]", HTMLElement);
const problem = find("[data-problem]", HTMLElement);
const speed = find("[data-speed]", HTMLSelectElement);
const steps = findAll("a[data-start]", HTMLAnchorElement);
const starts = steps.map((step) => Number(step.dataset.start));
let current = -1;

/** @param {number} seconds */
function jump(seconds) {
  const end = Number.isFinite(video.duration) ? video.duration : Infinity;
  video.currentTime = Math.min(Math.max(0, seconds), end);
}

/** @param {number} count */
function stepFrames(count) {
  video.pause();
  jump(video.currentTime + count * FRAME);
}

/** @param {number} index */
function jumpToStep(index) {
  const start = starts[index];
  if (start !== undefined) {
    jump(start);
    mark(index);
  }
}

/**
 * The last step that has started; of several with the same start, the innermost comes last.
 *
 * @param {number} seconds
 */
function stepAt(seconds) {
  let found = -1;
  starts.forEach((start, index) => {
    if (start <= seconds + 0.001) {
      found = index;
    }
  });
  return found;
}

/** @param {number} index */
function mark(index) {
  if (index === current) {
    return;
  }
  steps[current]?.removeAttribute("aria-current");
  current = index;
  const step = steps[index];
  if (!step) {
    return;
  }
  step.setAttribute("aria-current", "step");
  const list = find("[data-steps]", HTMLElement);
  // Scroll only the list, not the page.
  const top = step.offsetTop - list.scrollTop;
  if (top < 0 || top + step.offsetHeight > list.clientHeight) {
    list.scrollTop = step.offsetTop - list.clientHeight / 3;
  }
}

/** @param {number} by */
function changeSpeed(by) {
  const index = Math.min(Math.max(0, speed.selectedIndex + by), speed.options.length - 1);
  speed.selectedIndex = index;
  video.playbackRate = Number(speed.value);
}

/** @type {Record<string, () => unknown>} */
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
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  // Fields, buttons and the video's own controls handle their own keys; links only need Enter.
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, select, textarea, button, summary, video")) {
    return;
  }
  const action = KEYS[event.key.toLowerCase()];
  if (!action) {
    return;
  }
  event.preventDefault();
  action();
});

for (const step of steps) {
  step.addEventListener("click", (event) => {
    // With a modifier key the browser opens the link as usual, such as in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    jumpToStep(steps.indexOf(step));
  });
}

for (const button of findAll("[data-frame]", HTMLElement)) {
  button.addEventListener("click", () => stepFrames(Number(button.dataset.frame)));
}

speed.addEventListener("change", () => changeSpeed(0));
// A step that a person chose stays marked, even if others start at the same time.
video.addEventListener("timeupdate", () => {
  const start = starts[current];
  if (start !== undefined && Math.abs(start - video.currentTime) < FRAME) {
    return;
  }
  mark(stepAt(video.currentTime));
});

function showProblem() {
  if (video.error) {
    problem.hidden = false;
  }
}

video.addEventListener("error", showProblem);
// The video may have failed before this module ran.
showProblem();
bar.hidden = false;

// Without this module the browser's own controls play the video, and each step links to its moment.

// Playwright and Cypress record 25 frames a second.
const FRAME = 1 / 25;
const LEAP = 5;

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

// The last step that has begun; of several that begin together the innermost, which comes last.
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
  // Scrolled within the list only: the page itself stays where the reader has it.
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
  j: () => jump(video.currentTime - LEAP),
  l: () => jump(video.currentTime + LEAP),
  p: () => jumpToStep(current - 1),
  n: () => jumpToStep(current + 1),
  "<": () => changeSpeed(-1),
  ">": () => changeSpeed(1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Fields, buttons and the video's own controls keep their keys; links only need Enter.
  if (event.target.closest("input, select, textarea, button, summary, video")) return;
  const act = KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});

for (const step of steps) {
  step.addEventListener("click", (event) => {
    // In a new tab, as whoever holds such a key asks for, the link works as without a script.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    jumpToStep(steps.indexOf(step));
  });
}

for (const button of document.querySelectorAll("[data-frame]")) {
  button.addEventListener("click", () => stepFrames(Number(button.dataset.frame)));
}

speed.addEventListener("change", () => changeSpeed(0));
// A step that was jumped to stays marked although others may begin at the same moment.
video.addEventListener("timeupdate", () => {
  if (starts[current] !== undefined && Math.abs(starts[current] - video.currentTime) < FRAME) return;
  mark(stepAt(video.currentTime));
});
function tellProblem() {
  if (video.error) problem.hidden = false;
}

video.addEventListener("error", tellProblem);
// The browser may have given up before this module ran.
tellProblem();
bar.hidden = false;

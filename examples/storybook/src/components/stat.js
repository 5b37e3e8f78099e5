import "./stat.css";
import { each, element } from "../foundation/element.js";

const steps = 20;

/** Counts up to the final value, one step per frame. */
function countUp(node) {
  const goal = Number(node.dataset.value);
  let step = 0;
  const tick = () => {
    step += 1;
    node.textContent = Math.round((goal * step) / steps);
    if (step < steps) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

const stat = ([label, value, note]) => `
  <div class="stat">
    <span class="soft">${label}</span>
    <span class="stat__value" data-value="${value}">0</span>
    <span class="soft">${note}</span>
  </div>`;

export const statRow = (stats) =>
  element(`<div class="stats">${each(stats, stat)}</div>`, (root) => {
    root.querySelectorAll("[data-value]").forEach(countUp);
  });

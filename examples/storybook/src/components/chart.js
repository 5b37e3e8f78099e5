import "./chart.css";
import { each } from "../foundation/element.js";

const height = 220;

const grid = each(
  [0, 55, 110, 165, 220],
  (y) => `<line class="chart__grid" x1="0" x2="640" y1="${y}" y2="${y}"/>`,
);

const frame = (label, content) => `
  <figure class="chart" style="margin: 0">
    <svg viewBox="0 -8 640 256" role="img" aria-label="${label}">${grid}${content}</svg>
  </figure>`;

/** Groups of [label, boats, guests]; the bars rise once when they appear. */
export function barChart(label, groups) {
  const step = 640 / groups.length;
  const bar = (kind, x, value) =>
    `<rect class="chart__bar chart__bar--${kind}" x="${x}" y="${height - value}"
      width="${step * 0.3}" height="${value}" rx="4"/>`;
  const group = ([name, boats, guests], index) => {
    const left = index * step + step * 0.18;
    return `${bar("boats", left, boats)}${bar("guests", left + step * 0.34, guests)}
      <text class="chart__label" x="${(index + 0.5) * step}" y="240">${name}</text>`;
  };
  return frame(label, each(groups, group));
}

/** A line that is drawn once, with a point at its end that pulses for ever. */
export function liveChart(label, values) {
  const step = 600 / (values.length - 1);
  const points = values.map((value, index) => [20 + index * step, height - value]);
  const [x, y] = points.at(-1);
  return frame(
    label,
    `<polyline class="chart__line" points="${points.join(" ")}"/>
     <circle class="chart__now" cx="${x}" cy="${y}" r="8"/>`,
  );
}

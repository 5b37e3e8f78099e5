import "./colours.css";
import { each } from "./element.js";

export default { title: "Foundations/Colours" };

const groups = {
  Surfaces: ["ground", "surface", "raised", "sunken", "line", "line-strong"],
  Text: ["ink", "ink-soft", "ink-inverse"],
  Accents: ["tide", "tide-strong", "coral", "kelp", "sun", "dusk"],
  Washes: ["tide-wash", "coral-wash", "kelp-wash", "sun-wash", "dusk-wash"],
};

const swatch = (name) => `
  <div class="swatch">
    <div class="swatch__colour" style="background: var(--${name})"></div>
    <code class="swatch__name">${name}</code>
  </div>`;

export const Palette = () => `
  <div class="stack">
    ${each(
      Object.entries(groups),
      ([title, names]) =>
        `<h2 class="section-title">${title}</h2><div class="swatches">${each(names, swatch)}</div>`,
    )}
  </div>`;

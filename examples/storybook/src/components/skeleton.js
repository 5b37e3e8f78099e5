import "./skeleton.css";
import { each } from "../foundation/element.js";

/** Lines of random length, so that the placeholder looks like text. */
export function skeleton(lines) {
  const widths = Array.from({ length: lines }, () => 55 + Math.round(Math.random() * 45));
  return `<div class="skeleton" aria-busy="true">
    ${each(widths, (width) => `<div class="skeleton__line" style="width: ${width}%"></div>`)}
  </div>`;
}

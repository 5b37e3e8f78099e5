import "./tooltip.css";
import { button } from "./button.js";

export const tooltip = (label, text) => `
  <span class="tooltip">
    <span class="tooltip__bubble" role="tooltip">${text}</span>
    ${button(label, { look: "quiet" })}
  </span>`;

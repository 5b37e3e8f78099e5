import "./accordion.css";
import { each } from "../foundation/element.js";

export const accordion = (items) => `
  <div class="accordion">
    ${each(
      items,
      ([title, text], index) => `
        <details class="accordion__item" ${index === 0 ? "open" : ""}>
          <summary>${title}</summary><p>${text}</p>
        </details>`,
    )}
  </div>`;

import { button } from "./button.js";

export default { title: "Actions/Button" };

export const Variants = () => `
  <div class="stack">
    <div class="row">
      ${button("Reserve a berth")}
      ${button("See the map", { look: "quiet" })}
      ${button("Cast off", { look: "danger" })}
    </div>
    <div class="row">
      ${button("Save", { look: "small" })}
      ${button("Cancel", { look: "small quiet" })}
      ${button("Not today", { disabled: true })}
    </div>
    ${button("Continue to payment", { look: "wide" })}
  </div>`;

/** The spinner never ends: a capture has to stop it at its start. */
export const Busy = () => `
  <div class="row">
    ${button("Reserving", { busy: true })}
    ${button("Loading", { look: "quiet", busy: true })}
  </div>`;

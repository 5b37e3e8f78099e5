import { progress } from "./progress.js";

export default { title: "Feedback/Progress" };

/** The bars grow once: a capture has to show them at their full length. */
export const Bars = () => `
  <div class="stack" style="max-width: 520px">
    ${progress("North quay", 82)} ${progress("South quay", 47)} ${progress("Island", 12)}
  </div>`;

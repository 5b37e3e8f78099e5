import { badge } from "./badge.js";

export default { title: "Content/Badge" };

export const Tones = () => `
  <div class="row">
    ${badge("Draft")} ${badge("Moored", "good")} ${badge("Expected", "waiting")}
    ${badge("Overdue", "late")}
  </div>`;

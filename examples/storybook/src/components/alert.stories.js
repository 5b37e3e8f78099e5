import { alert } from "./alert.js";

export default { title: "Feedback/Alert" };

export const Tones = () => `
  <div class="stack">
    ${alert("info", "High water at 14:20", "The inner basin is open until 16:00.")}
    ${alert("success", "Berth reserved", "N-14 is yours from Friday to Sunday.")}
    ${alert("warning", "Strong wind", "Gusts of force 7 are expected tonight.")}
    ${alert("danger", "Slipway closed", "The winch is under repair until Monday.")}
  </div>`;

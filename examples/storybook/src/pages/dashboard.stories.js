import "./dashboard.css";
import { berths } from "../components/berths.js";
import { barChart } from "../components/chart.js";
import { header } from "../components/header.js";
import { progress } from "../components/progress.js";
import { visitors } from "../components/visitors.js";

export default { title: "Pages/Dashboard", parameters: { layout: "fullscreen" } };

/** The list of berths is left out on phones. */
export const Overview = () => `
  <div>
    ${header()}
    <main class="dashboard">
      <h1>Good morning, Ada</h1>
      ${barChart("Boats and guests by month", visitors)}
      ${progress("Season goal", 64)}
      <section class="stack dashboard__berths"><h2>Berths</h2>${berths()}</section>
    </main>
  </div>`;

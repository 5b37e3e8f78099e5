import { barChart, liveChart } from "./chart.js";
import { visitors } from "./visitors.js";

export default { title: "Data/Chart" };

export const Bars = () => barChart("Boats and guests by month", visitors);

export const Live = () =>
  liveChart("Water level today", [60, 92, 140, 176, 188, 170, 128, 84, 52, 44, 70, 118]);

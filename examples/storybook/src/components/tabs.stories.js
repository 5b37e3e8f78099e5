import { tabs } from "./tabs.js";

export default { title: "Navigation/Tabs" };

export const SecondSelected = () =>
  tabs(["Overview", "Berths", "Invoices", "Crew and guests", "Papers"], "Berths");

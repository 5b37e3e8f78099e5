import { statRow } from "./stat.js";

export default { title: "Data/Stat" };

export const Row = () =>
  statRow([
    ["Boats in port", 128, "12 more than yesterday"],
    ["Free berths", 31, "of 159"],
    ["Guests tonight", 342, "in 97 boats"],
    ["Open invoices", 7, "2 overdue"],
  ]);

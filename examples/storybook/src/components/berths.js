import { badge } from "./badge.js";
import { table } from "./table.js";

const number = (value) => `<span class="table__number">${value}</span>`;

const rows = [
  ["Annabel", "N-14", number("9.40 m"), badge("Moored", "good"), number("84.00")],
  ["Blue Heron", "N-15", number("12.10 m"), badge("Expected", "waiting"), number("120.00")],
  ["Cormorant", "S-02", number("7.25 m"), badge("Overdue", "late"), number("56.50")],
  ["Dulcinea", "S-07", number("10.00 m"), badge("Moored", "good"), number("90.00")],
  ["Eider", "I-01", number("6.80 m"), badge("Draft"), number("0.00")],
];

export const berths = () => table(["Boat", "Berth", "Length", "State", "Due"], rows);

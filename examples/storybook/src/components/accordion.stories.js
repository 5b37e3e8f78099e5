import { accordion } from "./accordion.js";

export default { title: "Content/Accordion" };

export const FirstOpen = () =>
  accordion([
    ["When may I arrive?", "At any hour. The office is open from 7:00 to 21:00."],
    ["Is there fuel?", "Diesel and petrol at the head of the south quay."],
    ["May I bring a dog?", "Yes, on a lead, and not on the bathing beach."],
  ]);

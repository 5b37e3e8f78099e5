import island from "../assets/island.svg";
import lighthouse from "../assets/lighthouse.svg";
import sails from "../assets/sails.svg";
import { cardGrid } from "./card.js";

export default { title: "Content/Card" };

export const Grid = () =>
  cardGrid([
    { picture: lighthouse, title: "The lighthouse", text: "Open on Sundays, 146 steps." },
    { picture: sails, title: "Regatta week", text: "Four classes, one long race." },
    { picture: island, title: "Seal island", text: "A ferry leaves every hour." },
    { picture: sails, title: "Sailing school", text: "Courses from May to September." },
    { picture: lighthouse, title: "Night walk", text: "With lamps along the breakwater." },
  ]);

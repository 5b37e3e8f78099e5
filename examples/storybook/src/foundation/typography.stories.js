import "./typography.css";
import { each } from "./element.js";

export default { title: "Foundations/Typography" };

const steps = [
  ["Display 800", "800 48px var(--font)", "Boats come home"],
  ["Title 700", "700 32px var(--font)", "The tide table of the week"],
  ["Heading 600", "600 22px var(--font)", "Moorings on the north quay"],
  ["Body 400", "400 16px var(--font)", "Please tie up at a free buoy and call the office."],
  ["Italic 400", "italic 400 16px var(--font)", "Leave the ladder clear at low water."],
  ["Small 500", "500 13px var(--font)", "Updated every six minutes"],
  ["Code 400", "400 15px var(--font-mono)", "berth.assign('N-14', { draught: 2.1 }) // => ok"],
  ["Code 700", "700 15px var(--font-mono)", "0123456789 != 0O 1lI"],
];

export const Scale = () =>
  `<div>${each(
    steps,
    ([name, font, sample]) => `
      <div class="type-row">
        <span class="soft">${name}</span>
        <span class="type-row__sample" style='font: ${font}'>${sample}</span>
      </div>`,
  )}</div>`;

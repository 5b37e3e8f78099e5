import "./calendar.css";
import { each } from "../foundation/element.js";

const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The month of `today`, weeks beginning on Monday. */
export function calendar(today) {
  const [year, month] = [today.getFullYear(), today.getMonth()];
  const blanks = (new Date(year, month, 1).getDay() + 6) % 7;
  const days = new Date(year, month + 1, 0).getDate();
  const title = today.toLocaleDateString("en-GB", { month: "long", year: "numeric" });
  const day = (number) => {
    const mark = number === today.getDate() ? "calendar__day--today" : "";
    return `<span class="calendar__day ${mark}">${number}</span>`;
  };
  return `
    <div class="calendar">
      <h3>${title}</h3>
      <div class="calendar__days">
        ${each(names, (name) => `<span class="calendar__name">${name}</span>`)}
        ${"<span></span>".repeat(blanks)}
        ${each(Array.from({ length: days }, (_, index) => index + 1), day)}
      </div>
    </div>`;
}

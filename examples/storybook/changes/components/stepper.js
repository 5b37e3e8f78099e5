import "./stepper.css";
import { each } from "../foundation/element.js";

/** The first `done` steps are filled; on a phone the steps stand below each other. */
export function stepper(names, done) {
  const step = (name, index) => `
    <li class="stepper__step ${index < done ? "stepper__step--done" : ""}">
      <span class="stepper__number">${index + 1}</span>${name}
    </li>`;
  return `<ol class="stepper">${each(names, step)}</ol>`;
}

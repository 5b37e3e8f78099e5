import "./tabs.css";
import { each } from "../foundation/element.js";

export const tabs = (names, selected) => `
  <div class="tabs" role="tablist">
    ${each(names, (name) => `<button role="tab" aria-selected="${name === selected}">${name}</button>`)}
  </div>`;

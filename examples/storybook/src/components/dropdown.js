import "./dropdown.css";
import { each, element } from "../foundation/element.js";
import { button } from "./button.js";

const caret = '<svg width="10" height="6" fill="currentcolor"><path d="M0 0h10L5 6z"/></svg>';

const item = ({ label, keys = "", danger = false }) => `
  <li role="menuitem" class="dropdown__item ${danger ? "dropdown__item--danger" : ""}">
    ${label}<kbd>${keys}</kbd>
  </li>`;

export function dropdown(label, items) {
  const html = `
    <div class="dropdown">
      ${button(`${label} ${caret}`, { look: "quiet" })}
      <ul class="dropdown__menu" role="menu" hidden>${each(items, item)}</ul>
    </div>`;
  return element(html, (root) => {
    const [trigger, menu] = [root.querySelector("button"), root.querySelector("ul")];
    trigger.setAttribute("aria-expanded", "false");
    trigger.addEventListener("click", () => {
      menu.hidden = !menu.hidden;
      trigger.setAttribute("aria-expanded", String(!menu.hidden));
    });
  });
}

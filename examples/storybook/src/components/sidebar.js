import "./sidebar.css";
import { each } from "../foundation/element.js";

const links = [
  ["▦", "Overview"],
  ["◫", "Berths"],
  ["◷", "Tides"],
  ["◉", "Guests"],
];

/** Reads the width of the window once, when it is made, as many real components do. */
export function sidebar() {
  const narrow = window.matchMedia("(max-width: 900px)").matches;
  const link = ([icon, label]) =>
    `<span class="sidebar__link"><span>${icon}</span>${narrow ? "" : label}</span>`;
  return `<nav class="sidebar ${narrow ? "sidebar--narrow" : ""}">${each(links, link)}</nav>`;
}

import "./sidebar.css";
import { each } from "../foundation/element.js";

const links = [
  ["Overview", "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z"],
  ["Berths", "M2 2h2v12H2zM7 2h2v12H7zM12 2h2v12h-2z"],
  ["Tides", "M1 6l4-3 3 3 3-3 4 3v2l-4-3-3 3-3-3-4 3zM1 11l4-3 3 3 3-3 4 3v2l-4-3-3 3-3-3-4 3z"],
  ["Guests", "M8 1a3 3 0 0 1 0 7 3 3 0 0 1 0-7zM2 15c0-8 12-8 12 0z"],
];

const icon = (path) =>
  `<svg width="16" height="16" fill="currentcolor" aria-hidden="true"><path d="${path}"/></svg>`;

/** Reads the width of the window once, when it is made, as many real components do. */
export function sidebar() {
  const narrow = window.matchMedia("(max-width: 900px)").matches;
  const link = ([label, path]) =>
    `<span class="sidebar__link">${icon(path)}${narrow ? "" : label}</span>`;
  return `<nav class="sidebar ${narrow ? "sidebar--narrow" : ""}">${each(links, link)}</nav>`;
}

import "./header.css";
import { each } from "../foundation/element.js";
import mark from "../assets/mark.svg";

const links = ["Berths", "Weather", "Guests", "Prices"];

/** Links and search on wide windows, links on tablets, a menu button on phones. */
export const header = () => `
  <header class="header">
    <span class="header__brand"><img src="${mark}" alt="">Harbour</span>
    <nav class="header__links">${each(links, (name) => `<a href="#${name}">${name}</a>`)}</nav>
    <span class="header__search">Search boats, berths and guests</span>
    <span class="header__menu" aria-label="Menu"><i></i><i></i><i></i></span>
  </header>`;

import "./card.css";
import { each } from "../foundation/element.js";

const card = ({ picture, title, text }) => `
  <article class="card">
    <img class="card__picture" src="${picture}" alt="" loading="lazy">
    <div class="card__body"><h3>${title}</h3><p class="soft">${text}</p></div>
  </article>`;

export const cardGrid = (cards) => `<div class="card-grid">${each(cards, card)}</div>`;

export const quote = (text, author) => `
  <blockquote class="quote"><p>“${text}”</p><p class="soft">${author}</p></blockquote>`;

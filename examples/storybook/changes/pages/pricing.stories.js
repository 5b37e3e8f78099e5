import "./pricing.css";
import { each } from "../foundation/element.js";
import { button } from "../components/button.js";

export default { title: "Pages/Pricing" };

const plans = [
  { name: "Day", price: "28", points: ["One night", "Shore power", "Showers"] },
  { name: "Season", price: "940", points: ["April to October", "Own berth", "Four guests"], best: true },
  { name: "Winter", price: "310", points: ["On land", "Mast store", "Crane twice"] },
];

const plan = ({ name, price, points, best }) => `
  <section class="plan ${best ? "plan--best" : ""}">
    <h2>${name}</h2>
    <span class="plan__price">€ ${price}</span>
    <ul>${each(points, (point) => `<li>${point}</li>`)}</ul>
    ${button("Choose", { look: best ? "wide" : "wide quiet" })}
  </section>`;

export const Plans = () => `<div class="pricing">${each(plans, plan)}</div>`;

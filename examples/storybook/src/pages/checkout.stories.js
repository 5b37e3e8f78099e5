import "./checkout.css";
import { alert } from "../components/alert.js";
import { button } from "../components/button.js";
import { choice, select, textArea, textField } from "../components/fields.js";

export default { title: "Forms/Checkout" };

export const Form = () => `
  <div class="checkout">
    <form class="stack">
      <h2>Your stay</h2>
      <div class="checkout__pair">
        ${textField("First name", { value: "Ada" })} ${textField("Last name", { value: "Holm" })}
      </div>
      ${textField("E-mail address", { type: "email", placeholder: "you@boat.example" })}
      ${select("Quay", ["North quay", "South quay", "Island"])}
      ${textArea("Anything we should know?", "")}
      ${choice("checkbox", "I have read the rules of the harbour")}
      ${alert("info", "Pay on arrival", "Cards and cash are both welcome.")}
      ${button("Reserve", { look: "wide", type: "submit" })}
    </form>
    <aside class="checkout__sum">
      <h3>Berth N-14</h3>
      <dl>
        <dt>3 nights</dt><dd>84.00</dd>
        <dt>Shore power</dt><dd>9.00</dd>
        <dt>Harbour tax</dt><dd>4.65</dd>
        <dt><strong>Total</strong></dt><dd><strong>97.65</strong></dd>
      </dl>
    </aside>
  </div>`;

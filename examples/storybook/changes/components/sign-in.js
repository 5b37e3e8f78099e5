import "./sign-in.css";
import { element } from "../foundation/element.js";
import { alert } from "./alert.js";
import { button } from "./button.js";
import { choice, textField } from "./fields.js";

const refusal = "Address or password is wrong. After five tries we wait a minute.";

export function signIn() {
  const html = `
    <form class="sign-in">
      <h2>Welcome aboard</h2>
      <div data-message></div>
      ${textField("E-mail address", { type: "email", name: "email" })}
      ${textField("Password", { type: "password", name: "password" })}
      ${choice("checkbox", "Keep me signed in")}
      ${button("Sign in", { look: "wide", type: "submit" })}
      <a href="#lost">I have lost my password</a>
    </form>`;
  return element(html, (form) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      form.querySelector("[data-message]").innerHTML = alert("danger", "Not signed in", refusal);
    });
  });
}

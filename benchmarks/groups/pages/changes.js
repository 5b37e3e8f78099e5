// What a team changes on purpose, on all pages at once.
"use strict";

const INTENDED = {
  "header restyled":
    ".vr-header { background: #14213d !important; border-bottom: 3px solid #fca311; } .vr-header b { font-style: italic; } .vr-header a { text-transform: uppercase; }",
  "header taller": ":root { --bar: 72px !important; }",
  "brand color": ":root { --brand: #7a1f5c !important; }",
  "font size": ":root { --menu: 15px !important; }",
  "spacing token": ":root { --gap: 10px !important; }",
  "named header": ".vr-header { background: #8f1b2d !important; }",
};

/** Apply the change, or none; a named header shows the name of its page before and after. */
function intend(name, named) {
  document.querySelector("#vr-intended")?.remove();
  const label = document.querySelector(".vr-name");
  label.hidden = !named;
  document.querySelector(".vr-tool").style.marginLeft = named ? "0" : "auto";
  if (!name) return;
  const style = document.createElement("style");
  style.id = "vr-intended";
  style.textContent = INTENDED[name];
  document.head.append(style);
}

import { paint, render, start } from "./channel.js";

const colors = { red: ".box { background: red }", blue: ".box { background: blue }" };
// As a module does, each is loaded once on a page, in the order of its first import.
const loadsOf = { one: ["red", "blue"], two: ["blue", "red"] };
const loaded = new Set();

const load = (color) => {
  if (loaded.has(color)) return;
  loaded.add(color);
  const sheet = document.createElement("style");
  sheet.textContent = colors[color];
  document.head.append(sheet);
};

start((id) => {
  loadsOf[id.split("--")[0]].forEach(load);
  render(id, () => paint('<div class="box"></div>'));
});

// Makes a page of an application around a rendered story: header, navigation, content and footer.
// Everything random depends on the seed alone.
"use strict";

/** Return a function that returns numbers from 0 to 1, always the same ones for a seed. */
function randomFrom(seed) {
  let state = 2166136261;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

const WORDS =
  "account invoice order customer shipping summary total payment balance report weekly activity draft pending member project release notes settings profile search filter recent archive upload message thread reply status overview details history".split(
    " ",
  );
const words = (random, count) =>
  Array.from({ length: count }, () => pick(random, WORDS)).join(" ");
const amount = (random) =>
  (1000 + random() * 9000).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const ICONS = {
  bell: "M12 2a6 6 0 0 0-6 6v5l-2 3h16l-2-3V8a6 6 0 0 0-6-6zM9 18a3 3 0 0 0 6 0z",
  star: "M12 2l3 7h7l-6 4 2 8-6-5-6 5 2-8-6-4h7z",
  box: "M3 6l9-4 9 4v12l-9 4-9-4zM12 11v9M4 7l8 4 8-4",
  user: "M12 3a4 4 0 1 1 0 9 4 4 0 0 1 0-9zM4 21a8 8 0 0 1 16 0z",
  flag: "M5 2h2v20H5zM8 3h11l-3 4 3 4H8z",
};
const icon = (name, size) =>
  `<svg class="vr-icon" width="${size}" height="${size}" viewBox="0 0 24 24" fill="currentColor"><path d="${ICONS[name]}"/></svg>`;

/** Return a picture of random shapes as a data address. */
function drawPicture(random, width, height) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  for (let index = 0; index < 60; index += 1) {
    context.fillStyle = `hsl(${Math.floor(random() * 360)} 60% ${30 + Math.floor(random() * 50)}%)`;
    context.fillRect(random() * width - 20, random() * height - 20, 20 + random() * 90, 20 + random() * 60);
  }
  return canvas.toDataURL();
}

const STYLE = `
:root { --brand: #0b6e4f; --on-brand: #ffffff; --bar: 56px; --menu: 14px; --gap: 8px; }
body { padding: 0 !important; margin: 0 !important; display: block !important; background: #fff; }
.vr-page { display: grid; grid-template: auto 1fr auto / 100%; min-height: 100vh; font: 15px/1.5 "DejaVu Sans", sans-serif; color: #1d2433; }
.vr-header { display: flex; align-items: center; gap: calc(2 * var(--gap)); min-height: var(--bar); padding: 0 16px; background: var(--brand); color: var(--on-brand); font-size: var(--menu); box-sizing: border-box; }
.vr-header a { color: inherit; text-decoration: none; }
.vr-header .vr-name { margin-left: auto; font-weight: 600; }
.vr-body { display: flex; min-width: 0; }
.vr-side { flex: 0 0 180px; padding: 16px 12px; border-right: 1px solid #d7dce5; background: #f6f8fa; font-size: var(--menu); box-sizing: border-box; }
.vr-side a { display: block; padding: var(--gap); color: #3c4658; text-decoration: none; border-radius: 6px; }
.vr-side a.vr-active { background: var(--brand); color: var(--on-brand); }
.vr-main { flex: 1; min-width: 0; padding: calc(3 * var(--gap)) 24px; box-sizing: border-box; }
.vr-main #storybook-root, .vr-main #root { padding: 0 !important; margin: 0 0 24px !important; width: auto !important; max-width: 100%; overflow: hidden; }
.vr-panel { border: 1px solid #d7dce5; border-radius: 10px; padding: 16px; margin-bottom: calc(2.5 * var(--gap)); box-shadow: 0 2px 6px rgb(20 30 50 / 18%); background: #fff; overflow: hidden; }
.vr-panel h2 { font-size: 18px; margin: 0 0 8px; } .vr-panel p { margin: 0 0 12px; }
.vr-row { display: flex; gap: 16px; align-items: center; margin-bottom: 12px; flex-wrap: wrap; }
.vr-panel img { width: 220px; height: 120px; object-fit: cover; border-radius: 6px; display: block; }
.vr-panel table { border-collapse: collapse; width: 100%; margin-bottom: 12px; } .vr-panel td { border-top: 1px solid #e4e8ee; padding: 6px 8px; } .vr-panel td:last-child { text-align: right; }
.vr-panel ul { margin: 0 0 12px; padding-left: 20px; }
.vr-button { background: var(--brand); color: var(--on-brand); border: 0; border-radius: 6px; padding: 8px 14px; font: inherit; } .vr-plain { background: #fff; color: #1d2433; border: 1px solid #b4bccb; border-radius: 6px; padding: 7px 13px; font: inherit; }
.vr-badge { background: #fdecc8; color: #7a4d00; border-radius: 10px; padding: 2px 10px; font-size: 13px; }
.vr-footer { border-top: 1px solid #d7dce5; padding: 12px 16px; color: #5a6474; font-size: 13px; }
.vr-menu-only { display: none; }
@media (max-width: 700px) { .vr-side { display: none; } .vr-header nav { display: none !important; } .vr-menu-only { display: block; } }
*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
`;

function panel(random) {
  const names = Object.keys(ICONS);
  const rows = Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => `<tr><td>${words(random, 2)}</td><td>${amount(random)}</td></tr>`,
  );
  const items = Array.from({ length: 2 + Math.floor(random() * 4) }, () => `<li>${words(random, 3)}</li>`);
  const parts = [
    `<p>${words(random, 14)}</p>`,
    `<div class="vr-row"><img alt="" src="${drawPicture(random, 440, 320)}"><div>${words(random, 5)}</div></div>`,
    `<table>${rows.join("")}</table>`,
    `<ul>${items.join("")}</ul>`,
    `<div class="vr-row"><span>${icon(pick(random, names), 24)}</span><b>${words(random, 2)}</b><span class="vr-badge">${words(random, 1)}</span></div>`,
    `<div class="vr-row"><button class="vr-button">${words(random, 1)}</button><button class="vr-plain">${words(random, 1)}</button></div>`,
  ].sort(() => random() - 0.5);
  return `<section class="vr-panel"><h2>${words(random, 2)}</h2>${parts.join("")}</section>`;
}

/** Put the story into a page of the application; ``named`` headers show the name of the page. */
function buildFrame(seed, title) {
  const random = randomFrom(seed);
  const story = document.querySelector("#storybook-root, #root");
  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  const page = document.createElement("div");
  page.className = "vr-page";
  page.innerHTML = `
    <header class="vr-header">${icon("box", 24)}<b>Northwind</b><nav style="display:flex;gap:calc(2*var(--gap))"><a>Orders</a><a>Customers</a><a>Reports</a></nav><span class="vr-name" hidden></span><span class="vr-tool">${icon("bell", 20)}</span></header>
    <div class="vr-body"><aside class="vr-side"><a class="vr-active">Dashboard</a><a>Invoices</a><a>Shipping</a><a>Settings</a></aside><main class="vr-main"></main></div>
    <footer class="vr-footer">Northwind Traders, all prices without tax</footer>`;
  document.body.prepend(page);
  const main = page.querySelector(".vr-main");
  const panels = Array.from({ length: Math.floor(random() * 3) + 1 }, () => panel(random));
  main.innerHTML = panels.join("");
  main.prepend(story);
  page.querySelector(".vr-name").textContent = title;
  page.querySelector(".vr-tool").style.marginLeft = "auto";
  for (const other of [...document.body.children])
    if (other !== page && !["SCRIPT", "STYLE"].includes(other.tagName)) other.remove();
  document.documentElement.style.overflow = "visible";
}

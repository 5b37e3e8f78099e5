// Keeps a part of a page up to date while the page is visible: data-refresh says after how many seconds.

import { showLocalTimes } from "./times.js";

const PART = "[data-refresh]";
let shown = "";

async function refresh() {
  if (document.hidden) {
    return;
  }
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!response?.ok || response.redirected) {
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [list, fresh] = [document, page].map((each) => each.querySelector(PART));
  // A focused element stays in its place.
  if (!list || !fresh || fresh.textContent === shown || list.contains(document.activeElement)) {
    return;
  }
  shown = fresh.textContent ?? "";
  list.replaceWith(fresh);
  showLocalTimes();
}

const seconds = Number(document.querySelector(PART)?.getAttribute("data-refresh"));
if (seconds > 0) {
  setInterval(() => void refresh(), seconds * 1000);
}
document.addEventListener("visibilitychange", () => void refresh());

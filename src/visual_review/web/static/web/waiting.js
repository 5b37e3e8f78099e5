/** Keeps the list of waiting builds up to date while the page is visible. */

import { showLocalTimes } from "./times.js";

const SECONDS = 20;
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
  const [list, fresh] = [document, page].map((each) => each.querySelector("#waiting"));
  // What is focused stays where it is.
  if (!list || !fresh || fresh.textContent === shown || list.contains(document.activeElement)) {
    return;
  }
  shown = fresh.textContent ?? "";
  list.replaceWith(fresh);
  showLocalTimes();
}

setInterval(() => void refresh(), SECONDS * 1000);
document.addEventListener("visibilitychange", () => void refresh());

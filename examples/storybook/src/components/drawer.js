import "./drawer.css";

/** At the right edge of the window; on a phone at its lower edge. */
export const drawer = (title, body) => `
  <aside class="drawer" aria-label="${title}">
    <div class="drawer__grip"></div>
    <div class="stack"><h3>${title}</h3>${body}</div>
  </aside>`;

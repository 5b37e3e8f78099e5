import "./alert.css";

/** `tone`: info, success, warning or danger. */
export const alert = (tone, title, text) => `
  <div class="alert alert--${tone}" role="alert">
    <span class="alert__title">${title}</span>
    <span>${text}</span>
  </div>`;

import "./modal.css";

export const modal = ({ title, body, actions }) => `
  <div class="modal-scrim">
    <div class="modal" role="dialog" aria-modal="true" aria-label="${title}">
      <h2 class="modal__head">${title}</h2>
      <div class="modal__body">${body}</div>
      <div class="modal__foot">${actions}</div>
    </div>
  </div>`;

import "./fields.css";

const classes = (wrong) => `field ${wrong ? "field--wrong" : ""}`;

export function textField(label, options = {}) {
  const { hint = "", wrong = false, value = "", placeholder = "", type = "text", name = "" } = options;
  return `
    <label class="${classes(wrong)}">
      <span class="field__label">${label}</span>
      <input class="field__input" type="${type}" name="${name}" value="${value}"
        placeholder="${placeholder}" autocomplete="off" ${options.disabled ? "disabled" : ""}>
      ${hint && `<span class="field__hint">${hint}</span>`}
    </label>`;
}

export const textArea = (label, value) => `
  <label class="field">
    <span class="field__label">${label}</span>
    <textarea class="field__input" rows="4">${value}</textarea>
  </label>`;

export const select = (label, choices) => `
  <label class="field">
    <span class="field__label">${label}</span>
    <select class="field__input">${choices.map((name) => `<option>${name}</option>`).join("")}</select>
  </label>`;

export const choice = (kind, label, { checked = false, name = kind } = {}) => `
  <label class="choice">
    <input type="${kind}" name="${name}" ${checked ? "checked" : ""}>${label}
  </label>`;

export const toggle = (label, on) => `
  <div class="choice">
    <span class="switch ${on ? "switch--on" : ""}" role="switch" aria-checked="${on}"
      aria-label="${label}"></span>${label}
  </div>`;

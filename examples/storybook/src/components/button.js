import "./button.css";

/** `look` is one or more of quiet, danger, small, wide, separated by blanks. */
export function button(label, { look = "", busy = false, disabled = false, type = "button" } = {}) {
  const classes = ["button", ...look.split(" ").filter(Boolean).map((name) => `button--${name}`)];
  return `<button type="${type}" class="${classes.join(" ")}" ${disabled || busy ? "disabled" : ""}>
    ${busy ? '<span class="spinner" aria-hidden="true"></span>' : ""}${label}
  </button>`;
}

import "./badge.css";

/** `tone`: neutral, good, waiting or late. */
export const badge = (label, tone = "neutral") =>
  `<span class="badge badge--${tone}">${label}</span>`;

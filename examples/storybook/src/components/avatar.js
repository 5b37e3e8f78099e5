import "./avatar.css";
import { each } from "../foundation/element.js";

const tones = ["tide", "dusk", "coral", "sun"];

/** The tone follows from the name, so a person looks the same everywhere. */
export function avatar(name, { large = false } = {}) {
  const initials = name
    .split(" ")
    .map((word) => word[0])
    .join("");
  const tone = tones[name.length % tones.length];
  return `<span class="avatar avatar--${tone} ${large ? "avatar--large" : ""}" title="${name}">
    ${initials}
  </span>`;
}

export const avatarGroup = (names) =>
  `<span class="avatar-group">${each(names, (name) => avatar(name))}</span>`;

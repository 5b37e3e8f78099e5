import { show } from "./show.js";

export default { title: "Leaks/Second" };

export const Hash = show("hash");
export const Entry = show("entry");
export const Global = show("global");
export const Element = show("element");
export const Adopted = show("adopted");
export const Portal = show("portal");
export const Listener = show("listener");
export const Interval = show("interval");
export const Focus = show("focus");
export const Scroll = show("scroll");

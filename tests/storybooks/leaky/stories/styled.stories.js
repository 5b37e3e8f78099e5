import "./global.css";
import { show } from "./show.js";

// The style sheet of this file applies to the stories of all others.
export default { title: "Leaks/Styled" };

export const Underlined = show("nothing");
export const UnderlinedToo = show("nothing");

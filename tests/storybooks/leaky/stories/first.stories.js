import { show } from "./show.js";

export default { title: "Leaks/First" };

export const Nothing = show("nothing");
export const Style = show("style");
export const HtmlAttribute = show("htmlAttribute");
export const BodyClass = show("bodyClass");
export const BodyStyle = show("bodyStyle");
export const RootAttribute = show("rootAttribute");
export const Local = show("local");
export const Session = show("session");
export const Cookie = show("cookie");
export const Title = show("title");

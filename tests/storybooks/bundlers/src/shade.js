import { createElement } from "react";

const shade = process.env.STORYBOOK_DARK ? "navy" : "gold";

export const Shade = () => createElement("p", { style: { background: shade } }, "Shade");

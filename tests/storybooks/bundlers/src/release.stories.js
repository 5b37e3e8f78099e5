import { createElement } from "react";
import { Square } from "./square.js";
import { release } from "./release.js";

export default { title: "Release" };

export const Named = { render: () => createElement("p", null, release, createElement(Square)) };

import { createElement } from "react";
import { blue } from "@palette";
import { size } from "./size.js";
import "./square.css";

export const Square = () =>
  createElement("div", {
    className: "square",
    style: { background: blue, height: size, width: size },
  });

import { Shade } from "./shade.js";

export default { title: "Shade", component: Shade };

export const Filled = {};

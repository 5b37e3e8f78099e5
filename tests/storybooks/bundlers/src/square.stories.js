import { Square } from "./square.js";

export default { title: "Square", component: Square };

export const Plain = {};

import { Greeting } from "./greeting.js";

export default { title: "Greeting", component: Greeting };

export const English = {};

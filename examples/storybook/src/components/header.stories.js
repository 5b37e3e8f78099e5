import { header } from "./header.js";

export default { title: "Navigation/Header", parameters: { layout: "fullscreen" } };

export const Default = () => header();

import { sidebar } from "./sidebar.js";

export default { title: "Navigation/Sidebar" };

export const Default = () => sidebar();

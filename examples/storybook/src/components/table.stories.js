import { berths } from "./berths.js";

export default { title: "Data/Table" };

export const Berths = () => berths();

import { stepper } from "./stepper.js";

export default { title: "Navigation/Stepper" };

export const Middle = () => stepper(["Boat", "Berth", "Nights", "Payment"], 2);

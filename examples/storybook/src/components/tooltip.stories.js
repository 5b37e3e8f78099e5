import { tooltip } from "./tooltip.js";

export default { title: "Overlays/Tooltip" };

export const Open = () => tooltip("Draught", "From the waterline down to the lowest point of the keel.");

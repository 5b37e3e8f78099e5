import { skeleton } from "./skeleton.js";

export default { title: "Feedback/Skeleton" };

/** Random and endless: stable only where Math.random and animations are fixed. */
export const Loading = () => skeleton(6);

import { calendar } from "./calendar.js";

export default { title: "Forms/Calendar" };

/** Shows the day on which it is looked at: stable only where Date is fixed. */
export const Today = () => calendar(new Date());

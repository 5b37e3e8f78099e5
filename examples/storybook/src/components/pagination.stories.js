import { pagination } from "./pagination.js";

export default { title: "Navigation/Pagination" };

export const Middle = () => pagination(4, 7);

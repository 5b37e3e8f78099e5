export const blue = "#2456d6";

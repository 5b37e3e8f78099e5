export const size = 24;

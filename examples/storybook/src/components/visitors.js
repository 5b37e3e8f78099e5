/** Month, boats, guests. */
export const visitors = [
  ["Apr", 42, 66],
  ["May", 88, 104],
  ["Jun", 134, 160],
  ["Jul", 186, 212],
  ["Aug", 172, 205],
  ["Sep", 96, 120],
];

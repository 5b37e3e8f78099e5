const quiet = "Mornings begin with the bell of the breakwater and the smell of tar and coffee.";
const busy = "By noon the quays are full, and somebody always needs a hand with the lines.";
const late = "In the evening the lamps come on one after the other, from the office to the light.";

export const chapters = [
  { title: "Spring", paragraphs: [`${quiet} ${busy}`, `${late} ${quiet}`, busy] },
  { title: "Summer", paragraphs: [`${busy} ${late}`, quiet, `${busy} ${busy} ${late}`] },
  { title: "Autumn", paragraphs: [late, `${quiet} ${late}`, `${busy} ${quiet}`, quiet] },
  { title: "Winter", paragraphs: [`${quiet} ${late} ${quiet}`, late] },
  { title: "The office", paragraphs: [`${quiet} ${busy} ${late}`, busy] },
  { title: "The fleet", paragraphs: [busy, `${late} ${busy}`, quiet, late] },
  { title: "The light", paragraphs: [`${late} ${late}`, `${quiet} ${busy} ${quiet}`] },
  { title: "The people", paragraphs: [`${busy} ${quiet}`, late, `${quiet} ${late} ${busy}`] },
];

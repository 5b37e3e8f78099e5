import { report } from "./leaks.js";

// What stories of one file share: an object of arguments, and the state of the module.
const shared = { values: ["one"] };
let clicks = 0;

const render = ({ shared: { values } }) => {
  const root = document.createElement("div");
  report(root);
  root.append(`values ${values.join()}, clicks ${clicks}`);
  return root;
};

export default { title: "Leaks/Modules", args: { shared }, render };

export const Untouched = {};
export const ChangesArguments = {
  render: (args) => {
    const root = render(args);
    args.shared.values.push("left");
    return root;
  },
};
export const AfterArguments = {};
export const Plays = {
  play: () => {
    clicks += 1;
  },
};
export const AfterPlay = {};

import { button } from "./button.js";
import { drawer } from "./drawer.js";
import { choice, select } from "./fields.js";

export default { title: "Overlays/Drawer" };

export const Open = () =>
  drawer(
    "Filter berths",
    `${select("Quay", ["All", "North", "South", "Island"])}
     ${choice("checkbox", "With shore power", { checked: true })}
     ${choice("checkbox", "Deeper than 2 m")}
     ${button("Show 12 berths", { look: "wide" })}`,
  );

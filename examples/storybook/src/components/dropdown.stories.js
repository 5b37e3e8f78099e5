import { expect, userEvent, within } from "storybook/test";
import { dropdown } from "./dropdown.js";

export default { title: "Actions/Dropdown" };

export const Open = {
  render: () => {
    const frame = document.createElement("div");
    frame.style.minHeight = "240px";
    frame.append(
      dropdown("Boat", [
        { label: "Rename", keys: "R" },
        { label: "Move to another berth", keys: "M" },
        { label: "Print the papers", keys: "P" },
        { label: "Remove", danger: true },
      ]),
    );
    return frame;
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await userEvent.click(canvas.getByRole("button"));
    await expect(canvas.getByRole("menu")).toBeVisible();
  },
};

import { expect, userEvent, within } from "storybook/test";
import { signIn } from "./sign-in.js";

export default { title: "Forms/Sign in", render: signIn };

export const Empty = {};

export const Rejected = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement);
    await userEvent.type(canvas.getByLabelText("E-mail address"), "ada@harbour.example");
    await userEvent.type(canvas.getByLabelText("Password"), "starboard");
    await userEvent.click(canvas.getByRole("button", { name: "Sign in" }));
    await expect(canvas.getByRole("alert")).toBeVisible();
  },
};

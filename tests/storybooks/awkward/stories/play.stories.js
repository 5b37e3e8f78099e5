import { expect, userEvent, waitFor, within } from "storybook/test";
import { add, show } from "./show.js";

export default { title: "Play" };

const played = (fill, play) => ({ ...show(fill), play: ({ canvasElement }) => play(within(canvasElement), canvasElement) });

export const WaitsForText = played(
  (root) => {
    setTimeout(() => add(root, "p", { textContent: "it is here" }), 600);
  },
  async (canvas) => {
    await waitFor(() => expect(canvas.getByText("it is here")).toBeTruthy());
  },
);
export const TypesWithDelay = played(
  (root) => {
    const input = add(root, "input");
    input.setAttribute("aria-label", "name");
  },
  async (canvas) => {
    await userEvent.type(canvas.getByLabelText("name"), "typed slowly", { delay: 30 });
  },
);
export const WaitsForFetch = played(
  (root) => {
    fetch("./data.json").then((response) => response.json()).then(({ words }) => add(root, "p", { textContent: words[0] }));
  },
  async (canvas) => {
    await canvas.findByText("calm");
  },
);
export const ClicksAndWaits = played(
  (root) => {
    const button = add(root, "button", { textContent: "0" });
    button.addEventListener("click", () => setTimeout(() => (button.textContent = Number(button.textContent) + 1), 80));
  },
  async (canvas) => {
    const button = canvas.getByRole("button");
    for (const text of ["1", "2", "3"]) {
      await userEvent.click(button);
      await waitFor(() => expect(button.textContent).toBe(text));
    }
  },
);
export const WaitsForTransition = played(
  (root) => {
    const box = add(root, "div", { id: "box" }, "width: 40px; height: 40px; background: teal; transition: width .2s");
    box.addEventListener("transitionend", () => (box.textContent = "over"));
    requestAnimationFrame(() => requestAnimationFrame(() => (box.style.width = "200px")));
  },
  async (canvas) => {
    await canvas.findByText("over");
  },
);
export const Sleeps = played(
  (root) => {
    add(root, "p", { textContent: "slept" });
  },
  () => new Promise((done) => setTimeout(done, 1200)),
);
export const HoversAndFocuses = played(
  (root) => {
    add(root, "button", { textContent: "first" });
    add(root, "button", { textContent: "second" });
  },
  async (canvas) => {
    await userEvent.hover(canvas.getByText("first"));
    await userEvent.tab();
    await userEvent.tab();
  },
);

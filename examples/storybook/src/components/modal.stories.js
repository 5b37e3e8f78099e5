import { button } from "./button.js";
import { modal } from "./modal.js";

export default { title: "Overlays/Modal" };

const clause = "The harbour keeps a berth until 18:00 on the day of arrival, longer if you call.";

export const Confirm = () =>
  modal({
    title: "Give up berth N-14?",
    body: "<p>Another boat may take it at once. Paid nights are returned within five days.</p>",
    actions: button("Keep it", { look: "quiet" }) + button("Give up", { look: "danger" }),
  });

/** The text is longer than any screen: the body scrolls, head and foot stay. */
export const Long = () =>
  modal({
    title: "Rules of the harbour",
    body: `<p>${Array(60).fill(clause).join("</p><p>")}</p>`,
    actions: button("I agree"),
  });

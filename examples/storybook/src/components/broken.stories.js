export default { title: "Broken" };

/** Throws on purpose: one story must never end a whole capture. */
export const Throws = () => {
  throw new Error("The anchor is lost: this story throws on purpose.");
};

// Stories whose decorator writes attributes of the page, and stories without the decorator.

const decorate = (story) => {
  document.documentElement.dataset.brand = "harbor";
  document.body.classList.add("evening");
  return story();
};

export default { title: "Leaks/Attributes" };

export const Decorated = { render: () => "<p>decorated</p>", decorators: [decorate] };
export const DecoratedAgain = { render: () => "<p>decorated again</p>", decorators: [decorate] };
export const Plain = { render: () => "<p>plain</p>" };
export const HalfDecorated = {
  render: () => {
    document.documentElement.dataset.brand = "harbor";
    return "<p>half</p>";
  },
};

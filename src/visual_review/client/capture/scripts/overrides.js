// Replaces parameters of stories by parameters configured outside of the stories.
(() => {
  const shared = window.__visualReview;
  const parametersOf = shared.parameters;
  let overrides = {};

  shared.hooks.reset.push((request) => {
    overrides = request?.capture?.overrides ?? {};
  });
  shared.parameters = () => {
    const all = parametersOf();
    return { ...all, visualReview: { ...all?.visualReview, ...overrides } };
  };
})();

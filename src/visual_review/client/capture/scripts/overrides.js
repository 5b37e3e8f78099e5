// Replaces parameters of stories by those that are configured outside of them.
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

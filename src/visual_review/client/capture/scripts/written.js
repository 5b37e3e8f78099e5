// Notices which attributes of the page a story writes: what every story writes by itself need not
// be removed by the story before.
(() => {
  if (window !== window.top) return;
  const shared = window.__visualReview;
  // These have parts that others write, so writing them says nothing about all of their parts.
  const divided = ["class", "style"];
  const observer = new MutationObserver((records) => note(records));
  // Names by element.
  let written = new Map();

  const note = (records) => {
    for (const { target, attributeName, attributeNamespace } of records) {
      if (attributeNamespace || divided.includes(attributeName)) continue;
      written.set(target, (written.get(target) ?? new Set()).add(attributeName));
    }
  };

  // The story before is gone, and this one has not begun.
  const begin = () => {
    observer.disconnect();
    written = new Map();
    // Writing the value that an attribute has already is reported as well.
    for (const element of shared.marked()) observer.observe(element, { attributes: true });
  };

  const list = () => {
    note(observer.takeRecords());
    return [...written].flatMap(([element, names]) =>
      [...names]
        .filter((name) => element.hasAttribute(name))
        .map((name) => shared.describeAttribute(element, name, element.getAttribute(name))),
    );
  };

  shared.hooks.findings.push((result) => {
    result.written = list();
  });
  shared.attributes = { begin };
})();

// The gestures in storycap's parameters before the image: the pointer over an element, the focus in
// an element, a click. Only the browser can move its pointer, so the page returns the place.
(() => {
  const shared = window.__visualReview;

  const find = (selector) => {
    try {
      return shared.all(selector)[0] ?? null;
    } catch {
      // Not a selector.
      return null;
    }
  };

  const centerOf = (element) => {
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  };

  const add = (result, { kind, selector }) => {
    const element = find(selector);
    if (!element) {
      result.notes.push({ kind: "parameter", detail: `screenshot.${kind} (no element matches ${selector})` });
    } else if (kind === "focus") {
      element.focus();
      result.gestures.push({ kind, x: 0, y: 0 });
    } else result.gestures.push({ kind, ...centerOf(element) });
  };

  shared.hooks.findings.push((result, request) => {
    result.gestures = [];
    if (!request.gestured) for (const asked of shared.askedGestures()) add(result, asked);
  });
})();

// Measures the elements of a story that the comparison ignores.
(() => {
  const shared = window.__visualReview;
  // As many as the CI interface takes for one screenshot.
  const mostRegions = 100;
  const marks = '.chromatic-ignore, [data-chromatic="ignore"], [data-visual-review="ignore"]';

  const intersect = (one, other) => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  });

  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // What a scroller hides of an element must not cover what is next to the scroller.
  const visiblePart = (element) => {
    let part = element.getBoundingClientRect();
    const isFixed = getComputedStyle(element).position === "fixed";
    for (let parent = parentOf(element); parent && parent !== document.body && !isFixed; parent = parentOf(parent)) {
      if (getComputedStyle(parent).overflow !== "visible") part = intersect(part, parent.getBoundingClientRect());
    }
    return part;
  };

  const measure = (element) => {
    const { left, top, right, bottom } = visiblePart(element);
    // All pixels that it touches; a negative place is outside of the image.
    const x = Math.max(0, Math.floor(left + window.scrollX));
    const y = Math.max(0, Math.floor(top + window.scrollY));
    return { x, y, width: Math.ceil(right + window.scrollX) - x, height: Math.ceil(bottom + window.scrollY) - y };
  };

  const find = (selector, notes) => {
    try {
      return shared.all(selector);
    } catch {
      notes.push({ kind: "parameter", detail: `chromatic.ignoreSelectors (${String(selector)} is not a selector)` });
      return [];
    }
  };

  shared.hooks.findings.push((result) => {
    const selectors = [marks, ...shared.ignoredSelectors()];
    const elements = new Set(selectors.flatMap((selector) => find(selector, result.notes)));
    const regions = [...elements].map(measure).filter(({ width, height }) => width > 0 && height > 0);
    if (regions.length > mostRegions) {
      const detail = `${regions.length} elements are marked as ignored, of which ${mostRegions} are`;
      result.notes.push({ kind: "parameter", detail });
    }
    result.regions.push(...regions.slice(0, mostRegions));
  });
})();

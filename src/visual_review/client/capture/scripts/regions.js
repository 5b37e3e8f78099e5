// Measures the elements of a story to ignore in the comparison.
(() => {
  const shared = window.__visualReview;
  // The limit of the CI interface for one screenshot.
  const mostRegions = 100;
  const marks = '.chromatic-ignore, [data-chromatic="ignore"], [data-visual-review="ignore"]';

  const intersect = (one, other) => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  });

  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // The part of an element hidden by a scroller must not cover content next to the scroller.
  const visiblePart = (element) => {
    const { body } = element.ownerDocument;
    let part = element.getBoundingClientRect();
    const isFixed = getComputedStyle(element).position === "fixed";
    for (let parent = parentOf(element); parent && parent !== body && !isFixed; parent = parentOf(parent)) {
      if (getComputedStyle(parent).overflow !== "visible") part = intersect(part, parent.getBoundingClientRect());
    }
    return part;
  };

  // The place of a frame's viewport in the page around the frame, which may show the frame scaled.
  const placeOf = (frame) => {
    const box = frame.getBoundingClientRect();
    const { paddingLeft, paddingTop } = getComputedStyle(frame);
    const across = box.width / frame.offsetWidth;
    const down = box.height / frame.offsetHeight;
    return {
      across,
      down,
      left: box.left + (frame.clientLeft + Number.parseFloat(paddingLeft)) * across,
      top: box.top + (frame.clientTop + Number.parseFloat(paddingTop)) * down,
    };
  };

  const partsInFrame = ({ element, inner }, selectors) => {
    if (!element.offsetWidth || !element.offsetHeight) return [];
    const { across, down, left, top } = placeOf(element);
    const { innerWidth, innerHeight } = element.contentWindow;
    const toOuter = (part) => ({
      left: left + part.left * across,
      top: top + part.top * down,
      right: left + part.right * across,
      bottom: top + part.bottom * down,
    });
    const shown = intersect(visiblePart(element), toOuter({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }));
    return partsIn(inner, selectors).map((part) => intersect(toOuter(part), shown));
  };

  // In the viewport of the page, which may be the viewport of a frame.
  const partsIn = (page, selectors) => [
    ...[...new Set(selectors.flatMap(page.all))].map(visiblePart),
    ...page.innerPages().flatMap((frame) => partsInFrame(frame, selectors)),
  ];

  const toRegion = ({ left, top, right, bottom }) => {
    // All pixels touched by the box; a negative place is outside of the image.
    const x = Math.max(0, Math.floor(left + window.scrollX));
    const y = Math.max(0, Math.floor(top + window.scrollY));
    return { x, y, width: Math.ceil(right + window.scrollX) - x, height: Math.ceil(bottom + window.scrollY) - y };
  };

  const isSelector = (text) => {
    try {
      new DocumentFragment().querySelector(text);
      return true;
    } catch {
      return false;
    }
  };

  shared.hooks.findings.push((result) => {
    const [valid, invalid] = [true, false].map((is) => shared.ignoredSelectors().filter((each) => isSelector(each) === is));
    for (const each of invalid) {
      result.notes.push({ kind: "parameter", detail: `chromatic.ignoreSelectors (${String(each)} is not a selector)` });
    }
    const parts = partsIn(shared, [marks, ...valid]).filter(({ left, top, right, bottom }) => left < right && top < bottom);
    const regions = parts.map(toRegion).filter(({ width, height }) => width > 0 && height > 0);
    if (regions.length > mostRegions) {
      const detail = `${regions.length} elements are marked as ignored, of which ${mostRegions} are`;
      result.notes.push({ kind: "parameter", detail });
    }
    result.regions.push(...regions.slice(0, mostRegions));
  });
})();

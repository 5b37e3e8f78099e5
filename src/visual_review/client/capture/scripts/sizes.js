// The height of an image with all content, and the content missing in the image.
(() => {
  const shared = window.__visualReview;
  const { hooks } = shared;
  const scrolling = ["auto", "scroll", "overlay"];
  const clipping = ["hidden", "clip", ...scrolling];
  // Fractions of pixels are not worth a note.
  const tolerance = 1;
  // An element of this share of the viewport is the page's own scroll area.
  const most = 0.9;
  let replaced = [];
  let withoutStyle = [];
  let measured = null;

  const overflowOf = (element) => getComputedStyle(element).overflowY;

  const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // With overflow on both elements, the body scrolls in itself, and every image of the page ends
  // with the body's box. Visible overflow keeps every box and makes the page scroll instead.
  const bodyScrolls = () =>
    scrolling.includes(overflowOf(document.body)) &&
    getComputedStyle(document.documentElement).overflowY !== "visible" &&
    document.body.scrollHeight > document.body.clientHeight + tolerance;

  const showOverflow = () => {
    if (replaced.length || !document.body || !bodyScrolls()) return;
    document.body.scrollTop = 0;
    for (const element of [document.documentElement, document.body]) {
      withoutStyle = element.hasAttribute("style") ? withoutStyle : [...withoutStyle, element];
      for (const name of ["overflow-x", "overflow-y"]) {
        const { style } = element;
        replaced.push([element, name, style.getPropertyValue(name), style.getPropertyPriority(name)]);
        style.setProperty(name, "visible", "important");
      }
    }
  };

  const restoreOverflow = () => {
    for (const [element, name, value, priority] of replaced) element.style.setProperty(name, value, priority);
    // An empty attribute would look like a leftover of the story.
    for (const element of withoutStyle) if (!element.style.length) element.removeAttribute("style");
    replaced = [];
    withoutStyle = [];
  };

  // Returns the fixed element around `element`, or null for content of the page or hidden content.
  const fixedAround = (element) => {
    for (let each = element; each && each !== document.documentElement; each = parentOf(each)) {
      if (getComputedStyle(each).position === "fixed") return each;
      const parent = parentOf(each);
      if (parent && clipping.includes(overflowOf(parent))) return null;
    }
    return null;
  };

  const isVisible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // Fixed elements do not count as content of the page. Fixed elements taller than the viewport
  // need room; an element below the viewport, such as a closed sheet, needs none.
  const fixedExtent = (height) => {
    let bottom = height;
    let above = 0;
    for (const element of shared.all("*")) {
      const box = element.getBoundingClientRect();
      if (!box.height || (box.bottom <= bottom && box.top >= -tolerance)) continue;
      const fixed = fixedAround(element);
      if (!fixed || !isVisible(element)) continue;
      const { top } = fixed.getBoundingClientRect();
      if (top >= innerHeight || box.bottom - top <= innerHeight) continue;
      bottom = Math.max(bottom, box.bottom);
      above = Math.max(above, -top);
    }
    return { bottom, above };
  };

  const pageHeight = () => {
    const { documentElement, body } = document;
    return Math.max(
      documentElement.scrollHeight,
      body?.scrollHeight ?? 0,
      documentElement.getBoundingClientRect().height,
    );
  };

  const measure = () => {
    const extent = fixedExtent(pageHeight());
    measured = { height: Math.ceil(extent.bottom), above: extent.above };
    return measured;
  };

  const hiddenWidth = () => {
    const { documentElement, body } = document;
    const hides = [documentElement, body].some((each) =>
      ["hidden", "clip"].includes(getComputedStyle(each).overflowX),
    );
    const width = Math.max(documentElement.scrollWidth, body.scrollWidth);
    return !hides && width > innerWidth + tolerance ? width : 0;
  };

  // The hidden part of a scrolling element as large as the viewport: for a person, "the page"
  // scrolls.
  const scrollArea = () => {
    const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    for (let each = middle; each && each !== document.body; each = parentOf(each)) {
      const fills = each.clientWidth >= innerWidth * most && each.clientHeight >= innerHeight * most;
      const hidden = each.scrollHeight - each.clientHeight;
      if (fills && hidden > tolerance && scrolling.includes(overflowOf(each))) return { element: each, hidden };
    }
    return null;
  };

  const nameOf = ({ localName, id, classList }) => localName + (id ? `#${id}` : classList[0] ? `.${classList[0]}` : "");

  hooks.beforeImage.push(() => shared.changeSilently(showOverflow));
  hooks.afterImage.push(restoreOverflow);
  hooks.reset.push(() => {
    restoreOverflow();
    measured = null;
  });
  hooks.findings.push((result) => {
    const add = (kind, detail) => result.notes.push({ kind, detail });
    const width = hiddenWidth();
    if (width) add("wider", `it is ${width} pixels wide, the viewport ${innerWidth}`);
    const area = scrollArea();
    if (area) add("hidden-content", `${nameOf(area.element)} fills the page and scrolls; ${area.hidden} pixels are below`);
    const { above } = measure();
    if (above > tolerance) add("hidden-content", `a fixed element begins ${Math.round(above)} pixels above the page`);
  });
  Object.assign(shared, { height: () => (measured ?? measure()).height });
})();

// Takes back the attributes written on the page by the story before. A story writing the same
// attributes itself, as with a decorator for the theme, then needs no new page.
(() => {
  if (window !== window.top) return;
  const shared = window.__visualReview;
  // The attributes taken back for the current story: element, name and text.
  let restored = [];
  // The attributes of the page without a story, by element.
  let accepted = new Map();
  let written = new Map();
  const note = (records) => {
    for (const { target, attributeName } of records) {
      written.set(target, (written.get(target) ?? new Set()).add(attributeName));
    }
  };
  const observer = new MutationObserver(note);

  const wordsOf = (text) => text.split(/\s+/).filter(Boolean);
  const isStorybooks = (word) => word.startsWith("sb-");

  const restore = (element, name) => {
    const text = accepted.get(element)?.get(name);
    if (name === "class") {
      const own = wordsOf(element.getAttribute(name)).filter(isStorybooks);
      element.setAttribute(name, [...wordsOf(text ?? ""), ...own].join(" "));
    } else if (text === undefined) element.removeAttribute(name);
    else element.setAttribute(name, text);
  };

  // Other scripts write parts of a class, so writing the class says nothing about each part.
  const isWrittenAgain = ({ element, name, text }) => {
    if (!written.get(element)?.has(name)) return false;
    return name !== "class" || wordsOf(text).every((word) => element.classList.contains(word));
  };

  shared.attributes = {
    // `isLeft` tells whether the story before has left an element's attribute with a name and a
    // text. The story before is gone, and the current story has not begun.
    restore: (isLeft) => {
      observer.disconnect();
      restored = [];
      for (const element of shared.marked()) {
        for (const [name, text] of shared.attributesOf(element)) {
          // Scripts change a style step by step.
          if (name === "style" || !isLeft(element, name, text)) continue;
          restore(element, name);
          restored.push({ element, name, text });
        }
      }
      written = new Map();
      // Writing an attribute's current value is reported as well.
      for (const { element } of restored) observer.observe(element, { attributes: true });
    },
    accept: () => {
      accepted = new Map(shared.marked().map((element) => [element, new Map(shared.attributesOf(element))]));
    },
  };

  const describe = ({ element, name, text }) => shared.describeAttribute(element, name, text);
  const describeAll = () =>
    shared.marked().flatMap((element) => shared.attributesOf(element).map(([name, text]) => describe({ element, name, text })));

  // A new page might have the attributes not written again by the story.
  shared.hooks.findings.push((result) => {
    note(observer.takeRecords());
    result.attributes = shared.isFirstStory() ? describeAll() : [];
    const missed = restored.filter((each) => !isWrittenAgain(each));
    if (!missed.length) return;
    result.outcome = { kind: "leftover", message: "", phase: shared.phase() };
    result.leftovers = missed.map(describe);
  });
})();

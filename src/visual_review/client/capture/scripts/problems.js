// Mistakes in a page without a failed story: errors, and an empty story.
(() => {
  const shared = window.__visualReview;
  const { hooks } = shared;
  const mostErrors = 3;
  const longest = 300;
  // Browsers report these as errors without any loss.
  const harmless = ["ResizeObserver loop"];
  // Errors before the first story may concern all stories.
  const whileLoading = new Set();
  let errors = whileLoading;

  const shorten = (text) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

  const messageOf = (error) => {
    try {
      return String(error?.message || error);
    } catch {
      return "an error without a message";
    }
  };

  const add = (text) => {
    shared.noteActivity();
    if (errors.size < mostErrors && !harmless.some((each) => text.includes(each))) errors.add(shorten(text));
  };

  // Failed files report errors as well, but the requests say more about failed files.
  window.addEventListener("error", (event) => {
    if (event.target === window || event.target === null) add(messageOf(event.error ?? event.message));
  });
  window.addEventListener("unhandledrejection", (event) => {
    add(`unhandled rejection: ${messageOf(event.reason)}`);
  });

  const storyRoot = () => document.querySelector("#storybook-root, #root");

  const ownSelector =
    "script, style, link, template, noscript, #storybook-root, #root, #storybook-docs, #docs-root, [class*='sb-'], [id^='storybook-']";

  const isShown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && (element.checkVisibility?.({ visibilityProperty: true }) ?? true);
  };

  // A story may render everything through a portal, next to its root.
  const hasPortal = () =>
    [...document.body.children].some(
      (element) => !element.matches(ownSelector) && [element, ...element.querySelectorAll("*")].some(isShown),
    );

  const isEmpty = (root) => {
    const contents = [...root.childNodes].some(
      (node) => node.nodeType === Node.ELEMENT_NODE || (node.nodeType === Node.TEXT_NODE && node.data.trim()),
    );
    return !contents && !root.shadowRoot;
  };

  // Requests do not show broken images: the browser got all bytes, but no valid image.
  const brokenImages = () =>
    shared
      .all("img")
      .filter((image) => image.complete && !image.naturalWidth && image.currentSrc && isShown(image))
      .slice(0, mostErrors);

  hooks.reset.push(() => {
    errors = new Set();
  });
  hooks.findings.push((result) => {
    const add = (kind, detail) => result.notes.push({ kind, detail });
    for (const text of new Set([...whileLoading, ...errors])) add("page-error", text);
    for (const image of brokenImages()) {
      add("failed-request", `${shorten(image.currentSrc)} is not an image that can be shown`);
    }
    const root = storyRoot();
    if (root && isEmpty(root) && !hasPortal()) add("empty-story", `#${root.id} has no content`);
  });
})();

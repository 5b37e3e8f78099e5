// The keys that lead to the search over everything: / and Ctrl+K.

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function enableSearchKeys() {
  const link = document.querySelector("a[data-search]");
  if (!(link instanceof HTMLAnchorElement)) {
    return;
  }
  document.addEventListener("keydown", (event) => {
    const isControlK = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    // A page with a search of its own keeps the slash for its search.
    const isSlash = event.key === "/" && isPlain && !isTyping(event.target) && !document.body.classList.contains("page-review");
    if (!event.defaultPrevented && (isControlK || isSlash)) {
      event.preventDefault();
      openSearch(link.href);
    }
  });
}

/** @param {string} url */
function openSearch(url) {
  const field = document.querySelector("form[role=search] input[type=search]");
  if (field instanceof HTMLInputElement && location.pathname === new URL(url).pathname) {
    field.select();
  } else {
    location.assign(url);
  }
}

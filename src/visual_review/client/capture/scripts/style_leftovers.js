// Style sheets and custom elements loaded by the modules of one file stay for all later stories. A
// story affected by the sheets or elements of another file gets a new page.
(() => {
  if (window !== window.top) return;
  const shared = window.__visualReview;
  // Made for one component: every element with these styles has loaded them itself.
  const scoped = /\[data-v-[0-9a-f]{6,}\]|\.svelte-\w{5,}|\.css-\w{4,}|\.sc-\w{4,}|\.jss\d+|\._[\w-]+_\w{5}_\d+|__[\w-]{5}\b/;
  // Written by libraries with class names made from the contents of the class.
  const generated = "[data-emotion], [data-styled], [data-styled-components], [data-jss], [data-goober], #_goober";
  // Storybook's add-ons and the capture write these for every story.
  const ownSheets =
    '[id^="addon-"], [id^="storybook-"], [id^="visual-review"], #storybook-highlights-root *, #storybook-highlights-menu *';
  const maxSelectors = 5000;
  const sheets = new Map();
  const elements = new Map();
  const selectors = new WeakMap();
  let owner = "";

  const hash = (text) => {
    let value = 0;
    for (let place = 0; place < text.length; place += 1) value = (Math.imul(value, 31) + text.charCodeAt(place)) | 0;
    return (value >>> 0).toString(36);
  };

  const nameOf = (sheet) => sheet.href ? `style sheet ${sheet.href}` : `style sheet ${hash(sheet.ownerNode?.textContent ?? "")}`;

  const claim = (by) => {
    for (const sheet of document.styleSheets) {
      if (!sheets.has(sheet.ownerNode)) sheets.set(sheet.ownerNode, { by, name: nameOf(sheet) });
    }
  };

  const define = window.customElements?.define;
  if (define) {
    CustomElementRegistry.prototype.define = function (name, ...values) {
      if (this === window.customElements) elements.set(`custom element ${name}`, owner);
      return Reflect.apply(define, this, [name, ...values]);
    };
  }

  const collect = (rules, found) => {
    for (const rule of rules) {
      if (rule.selectorText) found.push(rule.selectorText);
      if (rule.cssRules) collect(rule.cssRules, found);
    }
    return found;
  };

  // Null for an unreadable sheet.
  const selectorsOf = (sheet) => {
    if (!selectors.has(sheet.ownerNode)) {
      let found = null;
      try {
        found = collect(sheet.cssRules, []).filter((text) => !scoped.test(text));
      } catch {
        // A sheet of another host.
      }
      selectors.set(sheet.ownerNode, found);
    }
    return selectors.get(sheet.ownerNode);
  };

  const matches = (text) => {
    try {
      return document.querySelector(text.replace(/::[\w-]+(\([^)]*\))?/g, "")) !== null;
    } catch {
      return true;
    }
  };

  const applies = (sheet) => {
    if (sheet.disabled || sheet.ownerNode.matches(`${generated}, ${ownSheets}`)) return false;
    const found = selectorsOf(sheet);
    return found === null || found.length > maxSelectors || found.some(matches);
  };

  const findForeign = ({ id, capture: { leftovers } }) => {
    if (leftovers.tolerated.includes("*")) return [];
    const known = new Set([...leftovers.known, ...leftovers.tolerated]);
    const order = new Map(leftovers.known.map((name, place) => [name, place]));
    let last = -1;
    const isForeign = ({ by, name }) => by !== "" && by !== leftovers.file && by !== id && !known.has(name);
    const found = [];
    for (const sheet of document.styleSheets) {
      const owned = sheets.get(sheet.ownerNode);
      const place = order.get(owned.name) ?? last;
      // A new page would load the sheets in another order, so another rule may win.
      if ((isForeign(owned) || place < last) && applies(sheet)) found.push(owned.name);
      last = Math.max(last, place);
    }
    for (const [name, by] of elements) {
      if (isForeign({ by, name }) && document.querySelector(name.split(" ").at(-1))) found.push(name);
    }
    return found;
  };

  const namesOf = (by) => [
    ...[...sheets.values()].filter((each) => each.by === by).map((each) => each.name),
    ...[...elements].filter(([, each]) => each === by).map(([name]) => name),
  ];

  shared.hooks.findings.push((result, request) => {
    claim(request.id);
    const found = findForeign(request);
    if (found.length && !shared.isFirstStory()) {
      result.outcome.kind = "leftover";
      result.leftovers.push(...found);
    } else if (shared.isFirstStory()) {
      // Files loaded by a new page for a story belong to the story, whichever story loads them
      // first on other pages.
      result.loadedByFile = namesOf(request.capture.leftovers.file);
      result.loadedByStory = namesOf(request.id);
    }
  });

  shared.sheets = {
    claim,
    begin: (by) => {
      owner = by;
    },
  };
})();

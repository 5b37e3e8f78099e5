// Notices leftovers of stories. When Storybook has prepared a story, the story before is gone and
// the new story not shown yet, so everything on the page belongs to neither.
(() => {
  if (window !== window.top) return;
  const shared = window.__visualReview;
  // Scripts show nothing, style sheets are examined separately, and Storybook's own may stay.
  const unseen = 'script, style, link, title, #scripts-root, [id^="storybook-"], [id^="visual-review"]';
  // These renderers remove the story before only after running the next story, which could find the
  // elements of the story before.
  const removesLate = new Set(["html", "server", "web-components"]);
  const maxSteps = 2000;
  const maxDepth = 6;

  try {
    sessionStorage.clear();
  } catch {
    // A document without an origin has no storage.
  }

  let file = "";
  let story = "";
  let tolerated = new Set();
  let found = [];
  // Allowed content of the page for the next story; null until the first story is prepared.
  let accepted = null;
  let before = new Map();
  let isFirst = true;
  let args = null;
  // The changes from loading the modules of a file, by the file.
  let loadedBy = new Map();
  // Stories by the file with possibly changed modules.
  const changedModules = new Map();
  const listeners = new Set();
  const stores = new Set();

  const nameOf = (target) => {
    if (target === window) return "window";
    if (target === document) return "document";
    if (target === document.documentElement) return "html";
    return target === document.body ? "body" : null;
  };

  const find = (target, type, listener, capture) => {
    for (const each of listeners) {
      if (each.target === target && each.type === type && each.listener === listener && each.capture === capture) return each;
    }
    return null;
  };

  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const isCapture = (options) => (typeof options === "object" ? Boolean(options?.capture) : Boolean(options));
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = this ?? window;
    const name = nameOf(target);
    const capture = isCapture(options);
    if (name && listener && !options?.once && !find(target, type, listener, capture)) {
      const record = { target, type, listener, capture, text: `listener for ${type} on ${name}` };
      listeners.add(record);
      options?.signal && addEventListener.call(options.signal, "abort", () => listeners.delete(record));
    }
    return Reflect.apply(addEventListener, target, arguments);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    const target = this ?? window;
    if (nameOf(target)) listeners.delete(find(target, type, listener, isCapture(options)));
    return Reflect.apply(removeEventListener, target, arguments);
  };

  // Looking into these stores is asynchronous, so any use counts.
  const watchStore = (prototype, method, kind) => {
    const real = prototype?.[method];
    if (!real) return;
    prototype[method] = function (...values) {
      stores.add(`${kind} ${String(values[0])}`);
      return Reflect.apply(real, this, values);
    };
  };
  watchStore(window.IDBFactory?.prototype, "open", "IndexedDB");
  watchStore(window.CacheStorage?.prototype, "open", "cache");
  watchStore(window.ServiceWorkerContainer?.prototype, "register", "service worker");
  // The next story would be connected to the same worker; the URL of a blob belongs to one story.
  const RealSharedWorker = window.SharedWorker;
  if (RealSharedWorker) {
    window.SharedWorker = new Proxy(RealSharedWorker, {
      construct: (target, args, newTarget) => {
        if (!String(args[0]).startsWith("blob:")) stores.add(`shared worker ${String(args[0])}`);
        return Reflect.construct(target, args, newTarget);
      },
    });
  }

  const describe = (element) => {
    const first = element.classList?.[0];
    return element.localName + (element.id ? `#${element.id}` : "") + (first ? `.${first}` : "");
  };

  const attributesOf = (element) => {
    const found = [];
    for (const { name, value } of element.attributes) {
      // Storybook's own classes show its layout and state.
      const text = name === "class" ? value.split(/\s+/).filter((each) => each && !each.startsWith("sb-")).join(" ") : value;
      if (text || !["class", "style"].includes(name)) found.push([name, text]);
    }
    return found;
  };

  const root = () => document.getElementById("storybook-root") ?? document.getElementById("root");

  const marked = () => [document.documentElement, document.body, root()].filter(Boolean);
  const whereOf = (element) => nameOf(element) ?? "the story's root";
  const keyOf = (element, name, text) => `attribute ${whereOf(element)} ${name}=${text}`;
  const describeAttribute = (element, name, text) => `attribute ${name}="${text.slice(0, 60)}" of ${whereOf(element)}`;
  const addAttributes = (all) => {
    for (const element of marked()) {
      for (const [name, text] of attributesOf(element)) {
        if (element === root() && name === "hidden") continue;
        all.set(keyOf(element, name, text), describeAttribute(element, name, text));
      }
    }
  };

  const addElements = (all) => {
    const { head, body, documentElement } = document;
    for (const element of [...(head?.children ?? []), ...(body?.children ?? []), ...documentElement.children]) {
      if (element === head || element === body || element.matches(unseen)) continue;
      all.set(element, `element ${describe(element)} in ${element.parentElement.localName}`);
    }
  };

  const addStorage = (all) => {
    for (const name of ["localStorage", "sessionStorage"]) {
      for (const [key, value] of Object.entries(window[name])) all.set(`${name} ${key}=${value}`, `${name} item ${key}`);
    }
    for (const cookie of document.cookie.split("; ")) {
      if (cookie) all.set(`cookie ${cookie}`, `cookie ${cookie.split("=")[0]}`);
    }
    for (const store of stores) all.set(`store ${store}`, store);
  };

  const addUrl = (all) => {
    const url = new URL(location.href);
    // Storybook writes these parameters itself.
    for (const name of ["id", "viewMode", "args", "globals"]) url.searchParams.delete(name);
    all.set(`URL ${url}`, `URL ${url.pathname}${url.search}${url.hash}`);
    all.set(`history ${history.length}`, "entry in the history");
  };

  const addTimers = (all) => {
    for (const task of shared.pendingTimers()) all.set(task, `timer of ${task.delay} ms`);
    if (shared.hasFrame()) all.set("frame", "animation frame");
  };

  const takeSnapshot = () => {
    const all = new Map();
    for (const record of listeners) all.set(record, record.text);
    for (const name of Object.keys(window)) {
      if (!/^\d+$|STORYBOOK/.test(name)) all.set(`global ${name}`, `global ${name}`);
    }
    addAttributes(all);
    addElements(all);
    addStorage(all);
    addUrl(all);
    addTimers(all);
    for (const sheet of document.adoptedStyleSheets) {
      if (sheet !== shared.stillSheet) all.set(sheet, `adopted style sheet ${sheet.cssRules[0]?.cssText.slice(0, 60) ?? ""}`);
    }
    return all;
  };

  // Shared libraries add these once, whichever file loads the library first.
  const isHarmless = (text) => /^(listener|global|timer|animation frame)\b/.test(text);

  const compare = (now) => {
    const left = [];
    for (const [key, text] of now) {
      const owner = loadedBy.get(key);
      if (!accepted.has(key) ? before.has(key) : owner !== undefined && owner !== file && !isHarmless(text)) left.push(text);
    }
    for (const [key, text] of accepted) {
      if (!now.has(key) && !before.has(key) && !isHarmless(text)) left.push(`${text} (removed)`);
    }
    return left;
  };

  const isLeftAttribute = (element, name, text) => {
    const key = keyOf(element, name, text);
    return before.has(key) && !accepted.has(key) && !tolerated.has(describeAttribute(element, name, text));
  };

  // A bounded description of a story's arguments, for finding changes.
  const describeValue = (value, depth, budget) => {
    budget.steps -= 1;
    if (typeof value === "function") return "function";
    if (value === null || typeof value !== "object") return String(value);
    if (budget.steps < 0 || depth > maxDepth || value instanceof Node) return "...";
    if (value instanceof Date) return `date ${value.getTime()}`;
    if (value instanceof Map || value instanceof Set) return describeValue([...value], depth, budget);
    const inside = Object.keys(value).slice(0, maxSteps);
    return `{${inside.map((key) => `${key}:${describeValue(value[key], depth + 1, budget)}`).join()}}`;
  };
  const describeArgs = (values) => describeValue(values ?? null, 0, { steps: maxSteps });

  // Without the elements, and the focus in them, the next story runs as on a new page.
  const removeStory = ({ renderer, framework }) => {
    if (accepted && removesLate.has(renderer ?? framework)) root()?.replaceChildren();
  };

  const noteArgs = () => {
    if (args && describeArgs(args.values) !== args.text) changedModules.set(args.file, `arguments changed by ${args.story}`);
    args = null;
  };

  const acceptAll = (now) => {
    for (const key of now.keys()) {
      if (!before.has(key) && !accepted?.has(key)) loadedBy.set(key, file);
    }
    loadedBy = new Map([...loadedBy].filter(([key]) => now.has(key)));
    accepted = now;
  };

  shared.hooks.reset.push((request) => {
    shared.sheets.claim(story);
    before = takeSnapshot();
    file = request.capture.leftovers.file;
    tolerated = new Set(request.capture.leftovers.tolerated);
    found = [];
    story = request.id;
    isFirst = accepted === null;
    shared.sheets.begin(file);
  });

  Object.assign(shared, {
    // The elements with attributes allowed to stay.
    marked,
    attributesOf,
    describeAttribute,
    // Returns whether the page has anything of earlier stories.
    storyPrepared: (initialArgs, parameters) => {
      noteArgs();
      removeStory(parameters);
      const looks = accepted && !tolerated.has("*");
      if (looks) shared.attributes.restore(isLeftAttribute);
      const now = takeSnapshot();
      if (looks) {
        found = compare(now).filter((text) => !tolerated.has(text));
        if (changedModules.has(file)) found.push(changedModules.get(file));
      }
      if (found.length) return true;
      acceptAll(now);
      shared.sheets.claim(file);
      shared.sheets.begin(story);
      shared.attributes.accept();
      args = { values: initialArgs, text: describeArgs(initialArgs), file, story };
      return false;
    },
    leftovers: () => [...new Set(found)],
    storyPlays: () => changedModules.set(file, `the play function of ${story}`),
    isFirstStory: () => isFirst,
  });
})();

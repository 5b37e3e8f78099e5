// Reports possible ways to switch the Storybook's theme, and switches the theme.
(() => {
  const shared = window.__visualReview;
  const storageKey = "sb-addon-themes-3";
  const addonEvent = "DARK_MODE";
  const registerEvent = "storybook/themes/REGISTER_THEMES";
  const heardWithin = 2000;
  const mostRules = 100000;
  const mostParts = 200;
  // A part of a selector with a possible theme. A backslash follows names such as `dark:flex`,
  // which are classes of their own.
  const part =
    /(?:\b(?:html|body)|:root)?(?:\.[\w-]+(?![\w\\-])|\[[\w-]+[~|^$*]?=["']?[\w -]+["']?(?: [is])?\])/g;
  const themeTerm = /dark|night|light|day/i;
  let applied = { setting: { kind: "media" }, theme: "light" };
  let undo = () => {};

  const channel = () => window.__STORYBOOK_ADDONS_CHANNEL__;
  const last = (event) => channel()?.last?.(event)?.[0] ?? {};

  // Declarations of authors may contain functions and references to themselves.
  const plain = (value) => {
    try {
      return JSON.parse(JSON.stringify(value ?? null));
    } catch {
      return null;
    }
  };

  const countParts = (rules, parts, left) => {
    for (const rule of rules) {
      left.count -= 1;
      if (left.count < 0) return;
      const selector = rule.selectorText;
      if (selector && themeTerm.test(selector)) {
        for (const [found] of selector.matchAll(part)) {
          if (!themeTerm.test(found)) continue;
          if (parts.has(found) || parts.size < mostParts) parts.set(found, (parts.get(found) ?? 0) + 1);
        }
      }
      if (rule.cssRules) countParts(rule.cssRules, parts, left);
      if (rule.styleSheet) countSheet(rule.styleSheet, parts, left);
    }
  };

  const countSheet = (sheet, parts, left) => {
    try {
      countParts(sheet.cssRules, parts, left);
    } catch {
      // The rules of other origins cannot be read.
    }
  };

  const findParts = () => {
    const parts = new Map();
    const left = { count: mostRules };
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) countSheet(sheet, parts, left);
    return Object.fromEntries(parts);
  };

  const namesOf = (value) => String(value ?? "").split(/\s+/).filter(Boolean);
  const elementsOf = (setting) => {
    try {
      return [...document.querySelectorAll(setting.target)];
    } catch {
      return [];
    }
  };

  const setClasses = (setting, theme) => {
    const other = theme === "dark" ? setting.light : setting.dark;
    for (const element of elementsOf(setting)) {
      element.classList.remove(...namesOf(other));
      element.classList.add(...namesOf(setting[theme]));
    }
  };

  const setAttribute = (setting, theme) => {
    const value = setting[theme];
    for (const element of elementsOf(setting)) {
      if (value === null) element.removeAttribute(setting.name);
      else element.setAttribute(setting.name, value);
    }
  };

  const store = (setting, theme) => {
    const kept = {
      current: theme,
      userHasExplicitlySetTheTheme: true,
      classTarget: setting.target,
      stylePreview: setting.dark !== null,
      dark: {},
      light: {},
    };
    if (setting.dark !== null) Object.assign(kept, { darkClass: namesOf(setting.dark), lightClass: namesOf(setting.light) });
    try {
      localStorage.setItem(storageKey, JSON.stringify(kept));
    } catch {
      // A page without storage has no reader of the storage.
    }
  };

  const updateGlobals = (globals) => {
    const heard = new Promise((done) => {
      channel().once("globalsUpdated", done);
    });
    channel().emit("updateGlobals", { globals });
    const limit = shared.limit(heardWithin);
    return Promise.race([heard, limit.ends]).finally(() => limit.end());
  };

  // Parts of the document, so a story may change them.
  const mark = ({ setting, theme }) => {
    if (setting.kind === "class" || setting.kind === "dark-mode-addon") setClasses(setting, theme);
    if (setting.kind === "attribute") setAttribute(setting, theme);
    if (setting.kind === "dark-mode-addon") store(setting, theme);
  };

  const remember = (setting) => {
    const name = setting.kind === "attribute" ? setting.name : "class";
    const before = elementsOf(setting).map((element) => [element, element.getAttribute(name)]);
    return () => {
      for (const [element, value] of before) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
      if (setting.kind !== "dark-mode-addon") return undefined;
      localStorage.removeItem(storageKey);
      return channel().emit(addonEvent, false);
    };
  };

  const prepareUndo = (setting) => {
    if (setting.kind === "media") return () => {};
    if (setting.kind !== "global") return remember(setting);
    const before = shared.declared().values[setting.name];
    return () => updateGlobals({ [setting.name]: before ?? undefined });
  };

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  Object.assign(shared, {
    themeFacts: () => {
      const { values, types, offered } = shared.declared();
      const { parameters } = last("storyPrepared");
      return {
        values,
        types,
        registered: { themes: offered, defaultTheme: last(registerEvent).defaultTheme },
        darkModeAddon: (channel()?.listenerCount?.(addonEvent) ?? 0) > 0,
        darkMode: plain(parameters?.darkMode),
        parts: findParts(),
      };
    },
    // Switches the theme of all further stories.
    applyTheme: async (setting, theme) => {
      if (!same(applied.setting, setting)) {
        await undo();
        undo = prepareUndo(setting);
      }
      applied = { setting, theme };
      mark(applied);
      if (setting.kind === "global") await updateGlobals({ [setting.name]: setting[theme] });
      if (setting.kind === "dark-mode-addon") channel().emit(addonEvent, theme === "dark");
    },
    // Before the page's own scripts, as some scripts read the theme once.
    storeTheme: (setting, theme) => {
      if (window === window.top) store(setting, theme);
    },
    themeSetting: () => applied.setting,
    // Before each story, as the story before may have removed the theme.
    markTheme: () => mark(applied),
  });
  shared.hooks?.reset.push(shared.markTheme);
})();

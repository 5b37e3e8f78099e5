// Reads a story's parameters for the capture: ours, Chromatic's and storycap's.
(() => {
  const shared = window.__visualReview;
  let asked = null;

  const object = (value) => (value && typeof value === "object" ? value : {});
  const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const share = (value) => (number(value) !== null && value >= 0 && value <= 1 ? value : null);
  const list = (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
  const owners = (parameters) => ["visualReview", "chromatic", "screenshot"].map((name) => object(parameters[name]));
  const isFilled = (value) => Object.keys(object(value)).length > 0;

  // These parameters would change the image, so an image without them needs a note.
  const unsupported = [
    ["chromatic", "diffIncludeAntiAliasing", (value) => value === true],
    ["screenshot", "variants", isFilled],
    ["screenshot", "omitBackground", (value) => value === true],
  ];

  const gestures = ["hover", "focus", "click"];
  const gesturesOf = (screenshot) =>
    gestures
      .map((kind) => ({ kind, selector: screenshot[kind] }))
      .filter(({ selector }) => typeof selector === "string" && selector !== "");

  // The part of the page in the image; null for all.
  const clipOf = (screenshot, longest, notes) => {
    if (!isFilled(screenshot.clip)) return null;
    const { x, y, width, height } = screenshot.clip;
    const areNumbers = [x, y].every((each) => number(each) >= 0) && [width, height].every((each) => number(each) >= 1);
    if (areNumbers && Math.max(x + width, y + height) <= longest) return { x, y, width, height };
    notes.push("screenshot.clip (not a rectangle in pixels)");
    return null;
  };

  // Chromatic lists widths; storycap has sizes ("800x600", "800", {width}) and names of devices.
  const widthOf = (viewport) => {
    const text = typeof viewport === "string" ? /^(\d+)(?:x\d+)?$/.exec(viewport)?.[1] : null;
    return number(text ? Number(text) : (viewport?.width ?? viewport));
  };

  const viewportsOf = (chromatic, screenshot) => {
    if (list(chromatic.viewports).length) return { name: "chromatic.viewports", values: list(chromatic.viewports) };
    if (screenshot.viewports !== undefined) {
      const { viewports } = screenshot;
      const values = Array.isArray(viewports) ? viewports : Object.values(object(viewports));
      return { name: "screenshot.viewports", values };
    }
    return { name: "screenshot.viewport", values: list(screenshot.viewport) };
  };

  const nearest = (width, widths) => {
    const devices = Object.entries(widths).sort((one, other) => one[1] - other[1]);
    return devices.reduce((best, each) => (Math.abs(each[1] - width) < Math.abs(best[1] - width) ? each : best))[0];
  };

  // Widths of Storybook's viewports for projects without declared viewports.
  const minimalViewports = { mobile1: 320, mobile2: 414, tablet: 834, desktop: 1280 };

  // A width, a size, or the name of a viewport declared by the project; null for anything else.
  const widthOfNamed = (viewport, parameters) => {
    const { options, viewports } = object(parameters.viewport);
    const declared = object(options ?? viewports)[viewport];
    const width = /^(\d+)(?:px)?$/.exec(object(declared?.styles).width ?? "")?.[1];
    return width ? Number(width) : ((declared ? null : minimalViewports[viewport]) ?? widthOf(viewport));
  };

  const themeOf = (name, value) => {
    const setting = shared.themeSetting();
    if (setting.kind !== "global" || setting.name !== name) return null;
    return ["light", "dark"].find((theme) => setting[theme] === value) ?? null;
  };

  // The theme and the width of one of Chromatic's modes: null for "any". A theme outside of the
  // capture stands for any, too, or the story would have no image at all.
  const readMode = (mode, parameters, widths, captured) => {
    const { viewport, disable, ...globals } = object(mode);
    const width = viewport === undefined ? null : widthOfNamed(viewport, parameters);
    const themes = Object.entries(globals).map(([name, value]) => themeOf(name, value));
    return {
      device: width === null ? null : nearest(width, widths),
      theme: captured.includes(themes[0]) ? themes[0] : null,
      isUnderstood: (viewport === undefined || width !== null) && themes.length < 2 && !themes.includes(null),
    };
  };

  // Whether the modes of a story leave out the variant.
  const isOutsideModes = (chromatic, parameters, { variant, capture }, notes) => {
    const widths = object(capture?.widths);
    const enabled = Object.values(object(chromatic.modes)).filter((mode) => mode?.disable !== true);
    if (!enabled.length || !Object.keys(widths).length) return false;
    const modes = enabled.map((mode) => readMode(mode, parameters, widths, list(capture.themes)));
    if (!modes.every((mode) => mode.isUnderstood)) {
      notes.push("chromatic.modes (more than a theme and a width)");
      return false;
    }
    return !modes.some(
      ({ theme, device }) => (theme ?? variant.theme) === variant.theme && (device ?? variant.device) === variant.device,
    );
  };

  // The viewport in the story's globals; null without a viewport.
  const globalDevice = (parameters, widths, notes) => {
    const { viewport } = shared.storyGlobals();
    const name = typeof viewport === "string" ? viewport : viewport?.value;
    if (name === undefined || !Object.keys(widths).length) return null;
    const width = widthOfNamed(name, parameters);
    if (width === null) notes.push("globals.viewport (not a viewport that the project declares)");
    return width === null ? null : [nearest(width, widths)];
  };

  const mediaOf = (chromatic) =>
    [
      ["forced-colors", chromatic.forcedColors, "active"],
      ["prefers-reduced-motion", chromatic.prefersReducedMotion, "reduce"],
      ["media", chromatic.media, "print"],
    ]
      .filter(([, value, wanted]) => value === wanted)
      .map(([name]) => name);

  // Of storycap's viewports, only the width has an effect.
  const isEmulated = (viewport) => {
    const { deviceScaleFactor = 1, isMobile, hasTouch } = object(viewport);
    return deviceScaleFactor !== 1 || Boolean(isMobile || hasTouch);
  };

  // The devices for the story's captures; null for all.
  const devicesOf = (parameters, widths, notes) => {
    const [own, chromatic, screenshot] = owners(parameters);
    if (Array.isArray(own.devices)) return own.devices;
    const { name, values } = viewportsOf(chromatic, screenshot);
    const numbers = values.map(widthOf);
    if (numbers.includes(null)) notes.push(`${name} (not a width in pixels)`);
    if (values.some(isEmulated)) notes.push(`${name} (all but the width)`);
    if (!values.length) return globalDevice(parameters, widths, notes);
    if (numbers.includes(null) || !Object.keys(widths).length) return null;
    return numbers.map((width) => nearest(width, widths));
  };

  const skipsOf = (own, chromatic, screenshot) => {
    if (typeof own.skip === "boolean") return own.skip;
    return chromatic.disableSnapshot === true || chromatic.disable === true || screenshot.skip === true;
  };

  const describeUnsupported = (parameters) =>
    unsupported
      .filter(([owner, name, matters]) => matters(object(parameters[owner])[name]))
      .map(([owner, name]) => `${owner}.${name}`);

  const readParameters = (all, request) => {
    const parameters = object(all);
    const [own, chromatic, screenshot] = owners(parameters);
    const ignored = describeUnsupported(parameters);
    const widths = object(request.capture?.widths);
    const devices = devicesOf(parameters, widths, ignored);
    const isOutside = isOutsideModes(chromatic, parameters, request, ignored);
    const clip = clipOf(screenshot, request.maxHeight, ignored);
    asked = {
      ignored,
      gestures: gesturesOf(screenshot),
      selectors: list(chromatic.ignoreSelectors),
      pausesAtStart: chromatic.pauseAnimationAtEnd === false,
      waitFor: screenshot.waitFor || null,
      waiting: null,
      crops: chromatic.cropToViewport === true || screenshot.fullPage === false,
    };
    return {
      skip:
        skipsOf(own, chromatic, screenshot) ||
        (isOutside && !Array.isArray(own.devices)) ||
        (devices !== null && !devices.includes(request.variant.device)),
      media: mediaOf(chromatic),
      clip,
      threshold: share(own.threshold) ?? share(chromatic.diffThreshold),
      delay: Math.max(0, number(own.delay) ?? Math.max(number(chromatic.delay) ?? 0, number(screenshot.delay) ?? 0)),
    };
  };

  const startWaiting = (waitFor) => {
    const waiting = { isDone: false, problem: "" };
    const call = typeof waitFor === "string" ? window[waitFor] : waitFor;
    if (typeof call !== "function") return { isDone: true, problem: `${String(waitFor)} is not a function of the page` };
    // The function may throw before there is a promise.
    new Promise((done) => done(call()))
      .catch((error) => {
        waiting.problem = `screenshot.waitFor failed: ${error?.message ?? String(error)}`;
      })
      .finally(() => {
        waiting.isDone = true;
      });
    return waiting;
  };

  shared.hooks.reset.push(() => {
    asked = null;
  });
  shared.hooks.unfinished.push(() => {
    if (!asked?.waitFor) return [];
    asked.waiting ??= startWaiting(asked.waitFor);
    return asked.waiting.isDone ? [] : ["what screenshot.waitFor waits for had not happened"];
  });
  shared.hooks.findings.push((result) => {
    if (!asked) return;
    for (const detail of asked.ignored) result.notes.push({ kind: "parameter", detail });
    if (asked.waiting?.problem) result.notes.push({ kind: "wait-for", detail: asked.waiting.problem });
  });

  Object.assign(shared, {
    readParameters,
    // Whether the image ends at the end of the viewport.
    cropsToViewport: () => asked?.crops === true,
    askedGestures: () => asked?.gestures ?? [],
    ignoredSelectors: () => asked?.selectors ?? [],
    // Whether animations are shown at their first frame instead of their last one.
    pausesAtStart: () => asked?.pausesAtStart === true,
  });
})();

// The loads of the page: the clock stands during a load.
(() => {
  const shared = window.__visualReview;
  const pending = new Map();
  const fetched = new WeakSet();
  let count = 0;

  const begin = (label) => {
    shared.noteActivity();
    count += 1;
    const key = count;
    pending.set(key, label);
    return () => pending.delete(key);
  };
  const during = (label, promise) => {
    const end = begin(label);
    promise.then(end, end);
    return promise;
  };

  const wrap = (owner, names, label) => {
    for (const name of names.split(" ")) {
      const real = owner?.[name];
      if (typeof real !== "function") continue;
      owner[name] = function (...args) {
        return during(label ?? `${name}() did not end`, real.apply(this, args));
      };
    }
  };
  const realText = Response.prototype.text;
  wrap(Response.prototype, "json text blob arrayBuffer formData bytes");
  wrap(Blob.prototype, "text arrayBuffer bytes");
  wrap(window.FontFace?.prototype, "load", "a font was still loading");
  wrap(HTMLImageElement.prototype, "decode", "an image was still being decoded");
  wrap(WebAssembly, "instantiate instantiateStreaming compile compileStreaming");
  wrap(window.SubtleCrypto?.prototype, "digest sign verify encrypt decrypt deriveBits deriveKey importKey generateKey");
  wrap(window, "createImageBitmap");
  wrap(window.CacheStorage?.prototype, "open match has keys delete");
  wrap(window.Cache?.prototype, "match matchAll add addAll put keys delete");

  const absolute = (url) => {
    try {
      return new URL(url, document.baseURI).href;
    } catch {
      return String(url);
    }
  };
  const realFetch = window.fetch;
  // For the capture itself, which waits on its own.
  shared.fetchText = (url) => realFetch.call(window, url).then((response) => realText.call(response));
  window.fetch = function (resource, options) {
    const url = absolute(resource instanceof Request ? resource.url : resource);
    const promise = during(`${url} did not respond`, realFetch.call(window, resource, options));
    promise.then(
      (response) => fetched.add(response),
      () => {},
    );
    return promise;
  };

  // A stream of the network is read to its end; a stream filled by the page may wait for a timer.
  const body = Object.getOwnPropertyDescriptor(Response.prototype, "body");
  const streams = new WeakSet();
  Object.defineProperty(Response.prototype, "body", {
    ...body,
    get() {
      const stream = body.get.call(this);
      if (stream && fetched.has(this)) streams.add(stream);
      return stream;
    },
  });
  const { getReader, pipeThrough } = ReadableStream.prototype;
  ReadableStream.prototype.pipeThrough = function (...args) {
    const result = pipeThrough.apply(this, args);
    if (streams.has(this)) streams.add(result);
    return result;
  };
  ReadableStream.prototype.getReader = function (...args) {
    const reader = getReader.apply(this, args);
    if (streams.has(this)) {
      const read = reader.read.bind(reader);
      reader.read = (...values) => during("a response was still being read", read(...values));
    }
    return reader;
  };

  const onEvents = (target, names, label) => {
    const end = begin(label);
    for (const name of names.split(" ")) target.addEventListener(name, end, { once: true });
  };
  const { open, send } = XMLHttpRequest.prototype;
  const urls = new WeakMap();
  XMLHttpRequest.prototype.open = function (method, url, ...args) {
    urls.set(this, absolute(url));
    return open.call(this, method, url, ...args);
  };
  XMLHttpRequest.prototype.send = function (...args) {
    onEvents(this, "loadend", `${urls.get(this)} did not respond`);
    return send.apply(this, args);
  };
  for (const name of ["readAsArrayBuffer", "readAsDataURL", "readAsText", "readAsBinaryString"]) {
    const real = FileReader.prototype[name];
    FileReader.prototype[name] = function (...args) {
      onEvents(this, "loadend", "a file was still being read");
      return real.apply(this, args);
    };
  }
  const storing = {
    IDBFactory: "open deleteDatabase",
    IDBObjectStore: "get getAll getKey getAllKeys put add delete clear count openCursor openKeyCursor",
    IDBIndex: "get getAll getKey getAllKeys count openCursor openKeyCursor",
  };
  for (const [owner, names] of Object.entries(storing)) {
    for (const name of names.split(" ")) {
      const real = window[owner].prototype[name];
      window[owner].prototype[name] = function (...args) {
        const request = real.apply(this, args);
        onEvents(request, "success error blocked", "a database was still busy");
        return request;
      };
    }
  }

  // Elements outside the document load too, for example images for a canvas.
  const onSource = (owner, label) => {
    const source = Object.getOwnPropertyDescriptor(owner.prototype, "src");
    Object.defineProperty(owner.prototype, "src", {
      ...source,
      set(value) {
        source.set.call(this, value);
        label(this);
      },
    });
  };
  onSource(HTMLImageElement, (image) => {
    if (!image.complete && image.loading !== "lazy") onEvents(image, "load error", `${image.src} did not load`);
  });
  const scripts = new WeakSet();
  onSource(HTMLScriptElement, (script) => scripts.add(script));

  const loaded = new WeakSet();
  const onLoad = ({ target }) => {
    if (target instanceof Element) loaded.add(target);
  };
  const { addEventListener } = EventTarget.prototype;
  const listenTo = (root) => {
    for (const name of ["load", "error"]) addEventListener.call(root, name, onLoad, true);
  };

  // A frame loaded before anything listened.
  const isComplete = ({ contentDocument }) =>
    contentDocument?.readyState === "complete" && contentDocument.URL !== "about:blank";
  const isApplied = (link) => !link.disabled && (!link.media || matchMedia(link.media).matches);
  const waiting = {
    "link[rel~=stylesheet][href]": (link) => isApplied(link) && !link.sheet && !loaded.has(link),
    "script[src]": (script) => scripts.has(script) && !loaded.has(script),
    "iframe[src], iframe[srcdoc]": (inner) => !loaded.has(inner) && !isComplete(inner),
    "object[data], embed[src]": (object) => !loaded.has(object),
    "img": (image) => !image.complete && Boolean(image.currentSrc || image.src),
    "video": (video) => video.seeking || (video.networkState === 2 && video.preload !== "none" && video.readyState < 2),
  };
  const nouns = {
    "link": "a style sheet was still loading",
    "script": "a script was still loading",
    "iframe": "a frame was still loading",
    "img": "an image was still loading",
    "video": "a video was still loading",
  };
  const waitingElements = () =>
    Object.entries(waiting).flatMap(([selector, isWaiting]) => shared.all(selector).filter(isWaiting));
  const describe = (element) => {
    const url = element.currentSrc || element.src || element.href || element.data || "";
    return `${nouns[element.localName] ?? "an object was still loading"}${url ? ` (${url})` : ""}`;
  };

  Object.assign(shared, {
    loadsBegin: begin,
    listenToLoads: listenTo,
    // The reasons for an unfinished page, empty for a loaded page.
    loading: () => {
      // A rewritten document loses its listeners.
      listenTo(document);
      const reasons = new Set([...waitingElements().map(describe), ...pending.values()]);
      if (document.fonts.status === "loading") reasons.add("a font was still loading");
      return [...reasons];
    },
  });
  // A load of an earlier story must not delay the next story.
  shared.hooks.reset.push(() => pending.clear());
})();

// Notices every change of the document, its shadow roots and its canvases.
(() => {
  const shared = window.__visualReview;
  const roots = new Set();
  const parsed = new WeakSet();
  let changes = 0;
  let lastChange = "";

  const describe = (node) => {
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    if (!element) return node.nodeName;
    const name = element.localName + (element.id ? `#${element.id}` : "");
    const first = element.classList?.[0];
    return first ? `${name}.${first}` : name;
  };
  const isReal = (record) => {
    if (record.type === "attributes") {
      return record.target.getAttributeNS(record.attributeNamespace, record.attributeName) !== record.oldValue;
    }
    return record.type !== "characterData" || record.target.data !== record.oldValue;
  };
  const note = (records) => {
    for (const record of records) {
      if (!isReal(record)) continue;
      changes += 1;
      lastChange = describe(record.target);
    }
  };
  const observer = new MutationObserver(note);
  const observe = (root) => {
    roots.add(new WeakRef(root));
    observer.observe(root, {
      attributes: true,
      attributeOldValue: true,
      characterData: true,
      characterDataOldValue: true,
      childList: true,
      subtree: true,
    });
  };
  // The parser creates the shadow roots written in HTML.
  const observeParsed = (root) => {
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      if (!shadowRoot || parsed.has(shadowRoot)) continue;
      parsed.add(shadowRoot);
      observe(shadowRoot);
      shared.listenToLoads(shadowRoot);
      observeParsed(shadowRoot);
    }
  };
  for (const { prototype } of [Element, ShadowRoot]) {
    const real = prototype.setHTMLUnsafe;
    if (!real) continue;
    prototype.setHTMLUnsafe = function (...args) {
      real.apply(this, args);
      observeParsed(this);
    };
  }

  let watched = null;
  const watchDocument = () => {
    watched = document;
    observe(document);
    document.addEventListener("DOMContentLoaded", () => observeParsed(document), { once: true });
    shared.listenToLoads(document);
  };
  watchDocument();
  // The first document of a frame gives its window to the next one, and no script runs again.
  const watchNextDocument = () => {
    if (watched === document) return;
    watchDocument();
    observeParsed(document);
  };
  window.addEventListener("DOMContentLoaded", watchNextDocument, true);

  // Closed shadow roots cannot be found later, so each one is recorded at its creation.
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    parsed.add(root);
    observe(root);
    shared.listenToLoads(root);
    return root;
  };

  // Drawing on a canvas changes no node.
  const drawing = {
    CanvasRenderingContext2D: "clearRect drawImage fill fillRect fillText putImageData stroke strokeRect strokeText",
    WebGLRenderingContext: "clear drawArrays drawElements",
    WebGL2RenderingContext: "clear drawArrays drawArraysInstanced drawElements drawElementsInstanced",
  };
  for (const [owner, names] of Object.entries(drawing)) {
    const prototype = window[owner]?.prototype;
    for (const name of prototype ? names.split(" ") : []) {
      const real = prototype[name];
      prototype[name] = function (...args) {
        changes += 1;
        lastChange = "canvas";
        return real.apply(this, args);
      };
    }
  }

  const connectedRoots = () => {
    watchNextDocument();
    const alive = [];
    for (const reference of roots) {
      const root = reference.deref();
      if (!root || (root !== document && !root.host)) roots.delete(reference);
      else if (root === document || root.host.isConnected) alive.push(root);
    }
    return alive;
  };

  // Makes a change of the capture itself, not counted as a change of the page.
  const changeSilently = (change) => {
    note(observer.takeRecords());
    change();
    observer.takeRecords();
  };

  Object.assign(shared, {
    changeSilently,
    roots: connectedRoots,
    watchDocument,
    all: (selector) => connectedRoots().flatMap((root) => [...root.querySelectorAll(selector)]),
    // Returns the latest change since the previous call, or null.
    takeChange: () => {
      note(observer.takeRecords());
      const change = changes ? lastChange : null;
      changes = 0;
      return change;
    },
  });
})();

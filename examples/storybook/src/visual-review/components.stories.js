// The components of the pages of Visual Review, from the files that the pages use. A shadow root
// keeps their styles and Harbour's apart.
const STYLES = [
  ...["tokens", "base", "icons", "navigation", "components", "buttons"],
  ...["tables", "forms", "dialogs", "specimens"],
];
const folder = new URL("visual-review/", document.baseURI);

async function load(path) {
  const response = await fetch(new URL(path, folder));
  if (!response.ok) throw new Error(`${path} returned ${response.status}.`);
  return response.text();
}

async function loadStyle(name) {
  const sheet = new CSSStyleSheet({ baseURL: new URL("styles/", folder).href });
  return sheet.replace(await load(`styles/${name}.css`));
}

export default {
  title: "Visual Review/Components",
  loaders: [
    async () => ({
      html: await load("specimens/all.html"),
      sheets: await Promise.all(STYLES.map(loadStyle)),
    }),
  ],
};

export const All = {
  render: (_args, { loaded }) => {
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = loaded.sheets;
    root.innerHTML = `<div class="specimens">${loaded.html}</div>`;
    return host;
  },
};

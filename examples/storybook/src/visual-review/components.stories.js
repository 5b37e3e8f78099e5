// The components of the pages of Visual Review, from the files that the pages use. A shadow root
// keeps their styles and Harbour's apart.
const STYLES = [
  ...["tokens", "base", "icons", "navigation", "components", "buttons"],
  ...["tables", "forms", "dialogs", "specimens"],
];
const folder = new URL("visual-review/", document.baseURI);

async function loadSpecimens() {
  const response = await fetch(new URL("specimens/all.html", folder));
  if (!response.ok) throw new Error(`The specimens returned ${response.status}.`);
  return response.text();
}

function addStyle(root, name) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(`styles/${name}.css`, folder).href;
  root.append(link);
  return new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${name}.css did not load.`)));
  });
}

export default {
  title: "Visual Review/Components",
  loaders: [async () => ({ specimens: await loadSpecimens() })],
};

export const All = {
  render: (_args, { loaded }) => {
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    const box = document.createElement("div");
    box.className = "specimens";
    box.innerHTML = loaded.specimens;
    host.styles = Promise.all(STYLES.map((name) => addStyle(root, name)));
    root.append(box);
    return host;
  },
  play: async ({ canvasElement }) => {
    await canvasElement.firstElementChild.styles;
  },
};

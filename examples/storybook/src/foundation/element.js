/** The first element of a piece of HTML; `attach` adds its behaviour. */
export function element(html, attach = () => {}) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  const root = template.content.firstElementChild;
  attach(root);
  return root;
}

export const each = (items, render) => items.map(render).join("");

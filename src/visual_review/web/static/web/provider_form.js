// Offers the ways to sign in at the chosen Git provider; the server checks the choice again.

const form = document.querySelector("form[data-kinds]");
const address = form?.querySelector("select[name=address]");

if (form instanceof HTMLFormElement && address instanceof HTMLSelectElement) {
  address.addEventListener("change", () => offer(form, address.value));
  offer(form, address.value);
}

/**
 * @param {HTMLFormElement} within
 * @param {string} url
 */
function offer(within, url) {
  /** @type {Record<string, string>} */
  const kinds = JSON.parse(within.dataset["kinds"] ?? "{}");
  const kind = kinds[url];
  const labels = [...within.querySelectorAll("[data-method]")].filter((each) => each instanceof HTMLElement);
  for (const label of labels) {
    label.hidden = kind !== undefined && !label.dataset["method"]?.startsWith(`${kind}-`);
  }
  const isHidden = labels.some((label) => label.hidden && label.querySelector("input")?.checked);
  const first = labels.find((label) => !label.hidden)?.querySelector("input");
  if (isHidden && first) {
    first.checked = true;
  }
}

// Buttons that copy a secret or an example are shown only if the clipboard is available.

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  // The visually hidden text for screen readers stays unchanged.
  const text = button.querySelector("span") ?? button;
  const label = text.textContent;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      text.textContent = "Copied";
    } catch {
      text.textContent = "Copying failed: select the text instead";
    }
    setTimeout(() => {
      text.textContent = label;
    }, 2000);
  });
}

// Buttons that copy a secret appear only where copying can work.

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const label = button.textContent;
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed; select the text instead";
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

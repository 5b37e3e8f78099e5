// Buttons that copy a secret or an example appear only where copying can work.

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  // What stands beside the word, for those who hear the page, stays as it is.
  const word = button.querySelector("span") ?? button;
  const label = word.textContent;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      word.textContent = "Copied";
    } catch {
      word.textContent = "Not allowed; select the text instead";
    }
    setTimeout(() => {
      word.textContent = label;
    }, 2000);
  });
}

// Applies the chosen theme before anything is painted. A module would run too late, and the
// policy of our pages forbids inline scripts. Without a choice the style sheet follows the system.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Storage may be blocked; the system's theme applies.
  }
})();

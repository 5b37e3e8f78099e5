// A double click that began on another page, or in a window that closed under it, must not end
// on "Allow". Frames are forbidden, but whoever opened this page can time such a click.

const HOLD = 600;
const allow = document.querySelector('button[name="decision"][value="allow"]');
let released;

function hold() {
  // Not "disabled", which would take the focus away from whoever uses the keyboard.
  allow.setAttribute("aria-disabled", "true");
  clearTimeout(released);
  released = setTimeout(() => allow.removeAttribute("aria-disabled"), HOLD);
}

allow.addEventListener("click", (event) => {
  if (allow.hasAttribute("aria-disabled")) event.preventDefault();
});
window.addEventListener("focus", hold);
window.addEventListener("pageshow", hold);
document.addEventListener("visibilitychange", hold);
hold();

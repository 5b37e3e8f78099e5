// Menus work without scripts; this also closes them on Escape and on a click outside.

const OPEN = "details.menu[open]";

function closeAll(except) {
  for (const menu of document.querySelectorAll(OPEN)) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => {
  closeAll(event.target.closest("details.menu"));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector(OPEN);
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

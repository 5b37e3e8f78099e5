"""Checks a page in a browser against WCAG 2.2 AA with axe-core, in both themes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, Page

import visual_review
from tests.support.browser import NARROWEST, Visitor

# A folder for images of all pages, to look at them.
LOOK = os.environ.get("LOOK_AT_PAGES")
WIDE = 1280
# Where the header's links, menus and tables have the least room.
TIGHT = (NARROWEST, 768, 820, 830, 1024)
WIDER = (1440, 2560)
AXE: Final = Path(visual_review.__file__).parents[2] / "javascript/node_modules/axe-core/axe.min.js"
LEVELS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
# Only the contrast depends on the theme; the rest is checked once.
THEME_RULES: Final = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_RUN: Final = "options => axe.run(document, options).then(result => result.violations)"

_NAMES: Final = """() => {
    const buttons = [...document.querySelectorAll("main button")];
    axe.setup();
    const names = buttons
        .filter(button => button.checkVisibility())
        .map(button => axe.commons.text.accessibleText(button));
    axe.teardown();
    return names;
}"""


def prepare(context: BrowserContext) -> None:
    """Load axe-core into each page of a window; the policy of our pages allows no other way."""
    context.add_init_script(path=AXE)


def find_violations(page: Page) -> list[str]:
    """Return the violations found by axe-core on a loaded page, in light and in dark."""
    found = _run(page, "light", {"type": "tag", "values": LEVELS})
    return [*found, *_run(page, "dark", THEME_RULES)]


def find_ambiguous_buttons(page: Page) -> list[str]:
    """Return names shared by several buttons: such a name does not say what a button acts on."""
    names: list[str] = page.evaluate(_NAMES)
    return sorted({name for name in names if names.count(name) > 1})


def _run(page: Page, theme: str, rules: dict[str, Any]) -> list[str]:
    page.emulate_media(
        color_scheme="light" if theme == "light" else "dark", reduced_motion="reduce"
    )
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    return list(_describe(theme, page.evaluate(_RUN, options)))


def _describe(theme: str, violations: list[dict[str, Any]]) -> Iterator[str]:
    for violation in violations:
        for node in violation["nodes"]:
            yield f"{theme}: {violation['id']}: {node['html'][:200]}: {node['failureSummary']}"


def resize(visitor: Visitor, width: int) -> None:
    visitor.page.set_viewport_size({"width": width, "height": 900})


def look(visitor: Visitor, name: str) -> None:
    for theme in ("light", "dark") if LOOK else ():
        visitor.page.emulate_media(color_scheme="light" if theme == "light" else "dark")
        for width in (360, 820, 1440):
            resize(visitor, width)
            path = Path(LOOK or "") / f"{name}-{width}-{theme}.png"
            visitor.page.screenshot(path=path, full_page=True)


def check_page_as_shown(visitor: Visitor, name: str) -> None:
    resize(visitor, WIDE)
    assert find_violations(visitor.page) == []
    # The page of all components shows each component twice.
    if name != "components":
        assert find_ambiguous_buttons(visitor.page) == []
        assert visitor.page.locator(".button--primary:visible").count() <= 1
    for width in (WIDE, *TIGHT, *WIDER):
        resize(visitor, width)
        assert visitor.horizontal_overflow() == 0, width
    look(visitor, name)

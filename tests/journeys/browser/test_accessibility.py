"""Every page in a real browser, checked by axe-core in both themes and at the narrowest width.

The pages are those of the URL conf, so that a new one cannot be forgotten.
"""

import os
from pathlib import Path

from django.db import transaction
from django.test import Client

from tests.api.test_web_authorization import one_of_everything, page_urls
from tests.support.accessibility import find_violations, prepare
from tests.support.browser import NARROWEST, OpenVisitor, Visitor
from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Personas

# A folder to which images of all pages are written, to look at them.
LOOK = os.environ.get("LOOK_AT_PAGES")
HTML = "text/html; charset=utf-8"


def list_pages(client: Client, urls: dict[str, str]) -> dict[str, str]:
    """Return those that are documents: neither buttons nor data nor images."""
    pages = {}
    for name, url in urls.items():
        response = client.get(url)
        if response.status_code == 200 and response.headers["Content-Type"] == HTML:
            pages[name] = url
    return pages


def look(visitor: Visitor, name: str) -> None:
    if LOOK:
        for theme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=theme)
            for width in (360, 820, 1440):
                visitor.page.set_viewport_size({"width": width, "height": 900})
                path = Path(LOOK) / f"{name}-{width}-{theme}.png"
                visitor.page.screenshot(path=path, full_page=True)
        visitor.page.set_viewport_size({"width": NARROWEST, "height": 900})


def test_no_page_has_a_barrier_in_either_theme(
    case: Case, open_visitor: OpenVisitor, personas: Personas
) -> None:
    with transaction.atomic():
        urls = page_urls(one_of_everything(personas))
    visitor = open_visitor(personas.alice, viewport={"width": 1280, "height": 900})
    prepare(visitor.page.context)
    for name, url in list_pages(signed_in(personas.alice), urls).items():
        with case(name):
            visitor.open(url)
            assert find_violations(visitor.page) == []
            visitor.page.set_viewport_size({"width": NARROWEST, "height": 900})
            assert visitor.horizontal_overflow() == 0
            look(visitor, name)
            visitor.page.set_viewport_size({"width": 1280, "height": 900})
    assert visitor.console_errors == []

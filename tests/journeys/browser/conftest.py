"""One Chromium for all journeys of pages, and windows in it at a server of each test's own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import OpenVisitor, Visitors, open_browser
from tests.support.database import current_personas
from tests.support.personas import Personas


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def personas(live_server: LiveServer, settings: Settings) -> Personas:
    """Committed, so that the server sees what a test makes of them."""
    settings.PUBLIC_URL = live_server.url
    return current_personas()


@pytest.fixture
def open_visitor(
    browser: Browser, live_server: LiveServer, settings: Settings
) -> Iterator[OpenVisitor]:
    """Opens windows of different people, each with cookies of its own."""
    settings.PUBLIC_URL = live_server.url
    visitors = Visitors(browser, live_server.url)
    yield visitors.open
    visitors.close()

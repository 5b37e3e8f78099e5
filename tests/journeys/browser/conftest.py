"""One Chromium for all browser tests, with a server and windows for each test.

The server is Django's own for tests, without event streams and bundled modules. The review page
does not start here: its tests are in ``journeys/review``.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import OpenVisitor, Visitors, open_browser
from tests.support.database import current_personas
from tests.support.personas import Personas
from tests.support.rendered_world import RenderedWorld


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def plain_static_urls(settings: Settings) -> None:
    """Leave the digest out of static URLs: the test server reads static files from the source."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


@pytest.fixture
def personas(live_server: LiveServer, settings: Settings) -> Personas:
    """Committed personas, so that the server sees the changes of a test."""
    settings.PUBLIC_URL = live_server.url
    return current_personas()


@pytest.fixture
def open_visitor(
    browser: Browser, live_server: LiveServer, settings: Settings
) -> Iterator[OpenVisitor]:
    """Open windows of different people, each with cookies of its own."""
    settings.PUBLIC_URL = live_server.url
    visitors = Visitors(browser, live_server.url)
    yield visitors.open
    visitors.close()


@pytest.fixture
def world(browser: Browser, live_server: LiveServer, personas: Personas) -> Iterator[RenderedWorld]:
    visitors = Visitors(browser, live_server.url)
    yield RenderedWorld(personas.alice, personas=personas, visitors=visitors)
    visitors.close()

"""One service for all journeys of reviewers, as deployed: event streams need the real server."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser
from pytest_django.plugin import DjangoDbBlocker

from tests.support.browser import Visitors, open_browser
from tests.support.rendered_world import RenderedWorld
from tests.support.servers.in_process_service import InProcessService, in_process_service

NUMBERS = count(1)


@pytest.fixture(scope="package")
def service(
    django_db_setup: None,  # noqa: ARG001 - It makes the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[InProcessService]:
    with in_process_service(django_db_blocker, tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def world(browser: Browser, service: InProcessService) -> Iterator[RenderedWorld]:
    """A repository of the test's own: all tests share the database of the service."""
    visitors = Visitors(browser, service.url)
    name = f"acme/review-{next(NUMBERS)}"
    people = service.personas
    yield RenderedWorld(people.alice, name, personas=people, visitors=visitors)
    visitors.close()

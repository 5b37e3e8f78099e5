"""The service on the tests' database, for all tests of a package, with commits kept.

The web application runs on a real port, in a thread of this process. Starting the program takes
much longer than most journeys; ``journeys/server`` tests the start.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import override_settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.database import current_personas, restore
from tests.support.personas import Personas
from tests.support.servers.web import web_server
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import callable_action


@dataclass(frozen=True)
class InProcessService:
    """``blobs`` is the storage folder, also returned by the fixture ``blobs_folder``."""

    url: str
    blobs: Path
    personas: Personas

    def act(self, action: str, **values: object) -> dict[str, Any]:
        """Call an action as the owner; returns the result as JSON."""
        result = dispatch(callable_action(action), self.personas.alice.caller, values)
        document: dict[str, Any] = result.model_dump(mode="json")
        return document


@contextmanager
def in_process_service(
    blocker: DjangoDbBlocker, folder: Path, storage_url: str = "", **changed_settings: object
) -> Iterator[InProcessService]:
    """Serve until the block ends, then restore the database; images are in ``folder``, or in S3."""
    blobs = folder / "blobs"
    with (
        blocker.unblock(),
        override_settings(STORAGE_URL=storage_url or blobs.as_uri(), **changed_settings),
        _restored_database(),
        _closed_connections(),
        web_server(settings) as url,
    ):
        yield InProcessService(url, blobs, current_personas())


@contextmanager
def _restored_database() -> Iterator[None]:
    try:
        yield
    finally:
        restore()


@contextmanager
def _closed_connections() -> Iterator[None]:
    """Close the connections left open by the server's threads."""
    opened: list[BaseDatabaseWrapper] = []
    main_thread = get_ident()

    def note(connection: BaseDatabaseWrapper, **_facts: object) -> None:
        if get_ident() != main_thread:
            opened.append(connection)

    connection_created.connect(note)
    try:
        yield
    finally:
        connection_created.disconnect(note)
        for connection in opened:
            connection.inc_thread_sharing()
            connection.close()
            connection.dec_thread_sharing()

"""Scan the static files of the pages once, instead of for every test client."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from whitenoise.middleware import WhiteNoiseMiddleware


@contextmanager
def scanned_once() -> Iterator[None]:
    """Reuse the first list of static files that WhiteNoise creates.

    It creates one for each ``Client`` of a test, which takes longer than most requests, and no
    test changes these files.
    """
    scan = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, object] = {}

    def add_files(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            scan(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with patch.object(WhiteNoiseMiddleware, "add_files_from_finders", add_files):
        yield

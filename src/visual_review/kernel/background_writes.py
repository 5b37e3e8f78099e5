"""Writes to the database that no caller waits for, and that may be lost with the process."""

import logging
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

from django.db import Error, connection

logger = logging.getLogger(__name__)


class BackgroundWrites:
    """One thread that starts with the first write; it is connected only while it writes.

    ``what`` is for the log.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._submitted: set[Hashable] = set()
        self._pool = ThreadPoolExecutor(1, "writes")

    def submit(self, subject: Hashable, write: Callable[[], object]) -> None:
        """Call ``write`` soon, unless a write for this subject is submitted already."""
        if subject not in self._submitted:
            self._submitted.add(subject)
            self._pool.submit(self._run, subject, write)

    def finish(self) -> None:
        """Wait until what was submitted is written."""
        self._pool.submit(int).result()

    def _run(self, subject: Hashable, write: Callable[[], object]) -> None:
        try:
            write()
        except Error:
            logger.warning("could not store %s", self._what, exc_info=True)
        finally:
            self._submitted.discard(subject)
            if not self._submitted:
                connection.close()

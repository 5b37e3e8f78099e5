"""Checks whether the embedded PostgreSQL responds, and kills an unresponsive server."""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from visual_review.config.standalone.postgres import EmbeddedPostgres

CHECK_INTERVAL_SECONDS = 2.0
# After the loss of a backend, the server ends the others within five seconds and recovers.
SILENCE_LIMIT_SECONDS = 15.0
CONNECT_SECONDS = 2
RECOVERING = "startup"
LIMIT_MARKS = ("too many clients", "too many connections", "remaining connection slots")


@dataclass
class PostgresWatchdog:
    """Connects to a running server from time to time; see ``is_stuck``."""

    postgres: EmbeddedPostgres
    silence_limit: float = SILENCE_LIMIT_SECONDS
    last_response: float = field(default_factory=time.monotonic)
    last_check: float = field(default_factory=time.monotonic)

    def is_stuck(self) -> bool:
        """Whether the server is unresponsive for too long and not recovering; call often.

        After kills at bad moments, servers were seen waiting forever for a process that no longer
        exists: such servers refuse every connection and never end.
        """
        now = time.monotonic()
        if now - self.last_check < CHECK_INTERVAL_SECONDS:
            return False
        self.last_check = now
        if self._responds() or self._is_recovering():
            self.last_response = time.monotonic()
        return time.monotonic() - self.last_response > self.silence_limit

    def restart(self) -> None:
        """Kill the server and all its processes, and start the server again, which recovers."""
        process = self.postgres.process
        if process is not None:
            # Children first: a survivor would block the shared memory of the next server.
            for number in (*_children(process.pid), process.pid):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait()
        self.postgres.start()
        self.last_response = self.last_check = time.monotonic()

    def _responds(self) -> bool:
        try:
            psycopg.connect(self.postgres.url, connect_timeout=CONNECT_SECONDS).close()
        except psycopg.OperationalError as error:
            # A server at its limit of connections is alive; the cause has no code, only a text.
            return any(mark in str(error) for mark in LIMIT_MARKS)
        return True

    def _is_recovering(self) -> bool:
        # Replaying a long log takes time, and must not be restarted again and again.
        process = self.postgres.process
        return process is not None and any(
            RECOVERING in _title(number) for number in _children(process.pid)
        )


def _children(pid: int) -> list[int]:
    """Return the IDs of child processes; none on systems without /proc."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""

"""Whether the embedded PostgreSQL still answers, and its hard end when it does not."""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from visual_review.config.standalone.postgres import EmbeddedPostgres

ASK_EVERY_SECONDS = 2.0
# A server that lost a backend ends the others within five seconds and then recovers.
RENDER_WAIT_SECONDS = 15.0
CONNECT_SECONDS = 2
RECOVERING = "startup"


@dataclass
class PostgresWatchdog:
    """Asks a running server now and then; see ``stuck``."""

    postgres: EmbeddedPostgres
    patience: float = RENDER_WAIT_SECONDS
    answered: float = field(default_factory=time.monotonic)
    asked: float = field(default_factory=time.monotonic)

    def stuck(self) -> bool:
        """Whether it has been silent beyond patience without recovering; call this often.

        After kills at bad moments a server was seen waiting for ever for a process that is
        gone: it refuses every connection and never ends by itself.
        """
        now = time.monotonic()
        if now - self.asked < ASK_EVERY_SECONDS:
            return False
        self.asked = now
        if self._answers() or self._recovers():
            self.answered = time.monotonic()
        return time.monotonic() - self.answered > self.patience

    def restart(self) -> None:
        """End the server and all its processes at once, and start it; it then recovers."""
        process = self.postgres.process
        if process is not None:
            # The children first: a survivor would keep the shared memory from the next server.
            for number in (*_children(process.pid), process.pid):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait()
        self.postgres.start()
        self.answered = self.asked = time.monotonic()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.postgres.url, connect_timeout=CONNECT_SECONDS).close()
        except psycopg.OperationalError:
            return False
        return True

    def _recovers(self) -> bool:
        # Replaying a long log takes its time, and must not be begun again and again.
        process = self.postgres.process
        return process is not None and any(
            RECOVERING in _title(number) for number in _children(process.pid)
        )


def _children(pid: int) -> list[int]:
    """The processes a process started; none where the system does not tell."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""

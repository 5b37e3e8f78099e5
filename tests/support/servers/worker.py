"""Processes of the service on the tests' own database: their environment, and a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.db import connection

from tests.support.servers.service import Process, environment
from visual_review.config.standalone.supervisor import SOLE_WORKER


@dataclass
class Worker:
    """One worker at a time; after a kill, ``start`` stands in for the supervisor."""

    folder: Path
    environment: Mapping[str, str]
    process: Process = field(init=False)
    starts: int = 0

    def start(self) -> None:
        self.starts += 1
        log = self.folder / f"worker-{self.starts}.log"
        arguments = ["worker", SOLE_WORKER, "--concurrency", "2"]
        self.process = Process(arguments, log, self.environment)

    def kill(self) -> None:
        self.process.process.kill()
        self.process.process.wait()

    def end(self) -> None:
        self.process.end()


def database_environment(**variables: str) -> dict[str, str]:
    """Return ``variables`` and the database; another process sees only committed rows."""
    server = connection.settings_dict
    credentials = f"{quote(server['USER'])}:{quote(server['PASSWORD'])}"
    socket = f"host={quote(server['HOST'], safe='')}&port={server['PORT']}"
    return environment(
        VISUAL_REVIEW_DATABASE_URL=f"postgresql://{credentials}@/{server['NAME']}?{socket}",
        **variables,
    )

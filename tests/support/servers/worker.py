"""The worker as a process, with the database of the tests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.servers.service import Process
from visual_review.config.standalone.supervisor import SOLE_WORKER


@dataclass
class Worker:
    """One worker at a time; after a kill, ``start`` does what the supervisor would do."""

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

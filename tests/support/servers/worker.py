"""The worker as a process, with the database of the tests."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.support.servers.service import Process
from visual_review.config.standalone.supervisor import SOLE_WORKER
from visual_review.kernel.confinement.capabilities import SET_USER
from visual_review.kernel.confinement.system_calls import prctl

PR_CAPBSET_DROP: Final = 24


def stay_root() -> None:
    """Take the right to change users from a program that is about to start."""
    # The web process of the tests runs in pytest, and both write to one storage folder.
    if os.geteuid() == 0:
        prctl(PR_CAPBSET_DROP, SET_USER)


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
        self.process = Process(arguments, log, self.environment, preexec_fn=stay_root)

    def kill(self) -> None:
        self.process.process.kill()
        self.process.process.wait()

    def end(self) -> None:
        self.process.end()

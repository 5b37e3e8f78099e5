"""The exchange of supervisor and fork server: pipes, process IDs and results."""

import json
import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Self

from visual_review.config.environment import EnvironmentInvalidError, StartupError

START = b"start"


@dataclass(frozen=True)
class ForkPlan:
    """The supervisor's ID and the open files passed to the fork server.

    ``reports`` takes lines for the supervisor. Each process waits at a pipe of its own: the
    migration for the first owner, web and worker for START.
    """

    supervisor: int
    reports: int
    listener: int
    migrate: int
    web: int
    worker: int

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> Self:
        return cls(*map(int, arguments))

    def arguments(self) -> list[str]:
        return [str(number) for number in astuple(self)]

    def files(self) -> list[int]:
        return [self.reports, self.listener, self.migrate, self.web, self.worker]

    def close_all_but(self, *kept: int) -> None:
        for number in set(self.files()) - set(kept):
            os.close(number)


def write_report(file: int, **values: object) -> None:
    """Send one line. Only short ones are sent while several processes may write."""
    os.write(file, f"{json.dumps(values)}\n".encode())


def describe_failure(error: StartupError) -> dict[str, object]:
    return {"failure": str(error), "variable": isinstance(error, EnvironmentInvalidError)}


def raise_failure(report: dict[str, object]) -> None:
    """Raise the error reported by a forked process, if any."""
    if "failure" in report:
        kind = EnvironmentInvalidError if report["variable"] is True else StartupError
        raise kind(str(report["failure"]))

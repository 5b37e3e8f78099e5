"""The first start of the migration, web and worker under one supervisor.

On Linux a fork server imports the shared modules while PostgreSQL starts, and forks all three.
Elsewhere, forking is not safe: the three start one after the other, each as a program of its own.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from visual_review.config.standalone.child_processes import (
    Child,
    ForkedProcess,
    owner_variables,
    spawn,
    start,
)
from visual_review.config.standalone.fork_plan import START, ForkPlan, raise_failure
from visual_review.config.standalone.parent_death import adopt_orphans

FORK_SERVER = (sys.executable, "-P", "-m", "visual_review.config.standalone.fork_server")
MIGRATION = "migrate"


class MigrationFailedError(Exception):
    """The migration has printed the reason; ``code`` is the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"The migration ended with {code}.")
        self.code = code


class FirstStart(Protocol):
    """The parts of a first start, in this order."""

    def begin_migration(self, owner: Mapping[str, str]) -> None:
        """Migrate, once PostgreSQL is ready."""

    def finish_migration(self) -> str:
        """Wait for the migration; returns the setup link, or "".

        Raises MigrationFailedError, or the StartupError reported by the migration.
        """

    def start_children(self, children: list[Child]) -> None:
        """Start web and worker with a database at the program's version."""

    def stop(self) -> None:
        """Stop all started processes except the ``children``; repeatable."""


@dataclass
class SpawnedStart:
    """One program after the other."""

    environment: Mapping[str, str]

    migration: "subprocess.Popen[bytes] | None" = None

    def begin_migration(self, owner: Mapping[str, str]) -> None:
        self.migration = spawn(["migrate"], {**self.environment, **owner}, output=subprocess.PIPE)

    def finish_migration(self) -> str:
        if self.migration is None:
            return ""
        output = self.migration.communicate()[0].decode().split()
        if self.migration.returncode:
            raise MigrationFailedError(self.migration.returncode)
        return output[-1] if output and "/setup/" in output[-1] else ""

    def start_children(self, children: list[Child]) -> None:
        for child in children:
            child.start()

    def stop(self) -> None:
        """Nothing else runs."""


@dataclass
class ForkedStart:
    """All are forked at once, and wait for their gates."""

    environment: Mapping[str, str]
    listener: socket.socket
    server: "subprocess.Popen[bytes]" = field(init=False)
    reports: IO[bytes] = field(init=False)
    gates: dict[str, int] = field(init=False)
    processes: dict[str, ForkedProcess] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        read_reports, write_reports = os.pipe()
        pipes = {name: os.pipe() for name in (MIGRATION, "web", "worker")}
        plan = ForkPlan(
            os.getpid(),
            write_reports,
            self.listener.fileno(),
            *(reading for reading, _ in pipes.values()),
        )
        self.server = start([*FORK_SERVER, *plan.arguments()], self.environment, plan.files())
        self.reports = os.fdopen(read_reports, "rb")
        self.gates = {name: writing for name, (_, writing) in pipes.items()}
        for number in (write_reports, *(reading for reading, _ in pipes.values())):
            os.close(number)

    def begin_migration(self, owner: Mapping[str, str]) -> None:
        while len(self.processes) < len(self.gates):
            report = self._read_report(self.server.wait)
            self.processes[report["name"]] = ForkedProcess(report["pid"])
        adopt_orphans(enabled=False)
        self._open(MIGRATION, json.dumps(dict(owner)).encode())

    def finish_migration(self) -> str:
        migration = self.processes[MIGRATION]
        report = self._read_report(migration.wait)
        migration.wait()
        self.server.wait()
        return str(report["link"])

    def start_children(self, children: list[Child]) -> None:
        for child in children:
            child.take_over(self.processes.pop(child.name))
            self._open(child.name, START)

    def stop(self) -> None:
        # Processes waiting at a gate end now.
        for name in list(self.gates):
            self._open(name, b"")
        self.reports.close()
        if self.server.poll() is None:
            self.server.terminate()
        self.server.wait()

    def _open(self, name: str, content: bytes) -> None:
        gate = self.gates.pop(name)
        try:
            os.write(gate, content)
        except BrokenPipeError:
            # An ended process is noticed by the code that waits for it.
            return
        finally:
            os.close(gate)

    def _read_report(self, wait: Callable[[], int]) -> dict[str, Any]:
        line = self.reports.readline()
        if not line:
            raise MigrationFailedError(wait() or 1)
        report: dict[str, Any] = json.loads(line)
        raise_failure(report)
        return report


def begin_start(environment: Mapping[str, str], listener: socket.socket) -> FirstStart:
    """Begin the work that is possible while PostgreSQL starts."""
    assert not owner_variables(environment)  # noqa: S101 - The password is passed to the migration alone.
    if sys.platform == "linux" and adopt_orphans(enabled=True):
        return ForkedStart(environment, listener)
    return SpawnedStart(environment)

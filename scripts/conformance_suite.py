"""Run the official MCP conformance suite, a Node program, and read its results."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.conformance_table import Check, Outcome
from scripts.setup_node import MCP_CLIENTS, node_environment

SUITE_SECONDS: Final = 180
LISTED: Final = re.compile(r"^  - (\S+)", re.MULTILINE)
# The suite writes each scenario's checks into a folder `server-<scenario>-<time>`.
FOLDER: Final = re.compile(
    r"(?:authorization-)?server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z"
)


class ConformanceError(Exception):
    """The suite could not be run; the message contains its output."""


@dataclass(frozen=True)
class Suite:
    """An installed version of the suite."""

    package: str

    @property
    def version(self) -> str:
        return MCP_CLIENTS.version_of(self.package)

    def command(self, node: Path, *words: str) -> list[str]:
        program = MCP_CLIENTS.installed / self.package / "dist" / "index.js"
        return [str(node / "node"), str(program), *words]


@dataclass(frozen=True)
class Run:
    """A version of the suite with the protocol version under test."""

    suite: Suite
    revision: str

    @property
    def name(self) -> str:
        return f"{self.revision} by {self.suite.version}"


HANDSHAKE: Final = Suite("conformance-handshake")
STATELESS: Final = Suite("conformance-stateless")
RUNS: Final = (
    Run(STATELESS, "2025-06-18"),
    Run(HANDSHAKE, "2025-11-25"),
    Run(STATELESS, "2025-11-25"),
    Run(STATELESS, "2026-07-28"),
)


def known_scenarios(node: Path) -> frozenset[str]:
    """Return all server scenarios of both versions, with extensions and authorization."""
    lists = (
        HANDSHAKE.command(node, "list", "--server"),
        STATELESS.command(node, "list", "--server", "--authorization"),
    )
    return frozenset(name for command in lists for name in LISTED.findall(_output(command, node)))


def run_suite(run: Run, node: Path, url: str, folder: Path) -> list[Outcome]:
    """Run every scenario of one run against the MCP endpoint at ``url``; writes into ``folder``."""
    words = ("server", "--url", url, "--suite", "all", "--spec-version", run.revision)
    command = run.suite.command(node, *words, "--output-dir", str(folder))
    output = _output(command, node, codes=(0, 1))
    found = list(read_outcomes(run.name, folder))
    if not found:
        raise ConformanceError(f"The suite checked nothing at all:\n{output[-2000:]}")
    return found


def read_outcomes(run: str, folder: Path) -> Iterator[Outcome]:
    for result in sorted(folder.glob("*/checks.json")):
        match = FOLDER.fullmatch(result.parent.name)
        if match is None:
            raise ConformanceError(
                f"{result.parent.name} is not a folder name that the suite uses."
            )
        checks = tuple(
            Check(row["id"], row["status"], row.get("errorMessage") or "")
            for row in json.loads(result.read_text())
        )
        yield Outcome(run, match["scenario"], checks)


def _output(command: Sequence[str], node: Path, codes: Sequence[int] = (0,)) -> str:
    """Return the output; the suite exits with 1 when any scenario failed, applicable or not."""
    done = subprocess.run(
        command,
        env=node_environment(node),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SUITE_SECONDS,
        check=False,
    )
    if done.returncode not in codes:
        raise ConformanceError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}")
    return done.stdout

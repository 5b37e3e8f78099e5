"""``make bench-mcp``: the actions over REST and over MCP in both protocol eras, side by side.

The doors take turns, so that whatever else the machine does falls on all of them alike.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from scripts.demo_folder import DemoError

from benchmarks.bars import REST, Figures, bars_of, percentile, table
from benchmarks.load import Sample, UnexpectedAnswerError, measure
from benchmarks.requests import NEWER, OLDER, Call, Caller
from benchmarks.service import Service, filled_service

CONNECTIONS = (1, 20)
WARM_UP_SECONDS = 1.0
# Short, so that a busy moment of the machine meets every door.
LOCK_RETRY_SECONDS, LEAST_TURNS = 0.5, 2
BUILDS_LISTED = 25
DOORS: Mapping[str, Callable[[Caller, Call], bytes]] = {
    REST: Caller.rest,
    f"MCP {OLDER}": Caller.mcp_older,
    f"MCP {NEWER}": Caller.mcp_newer,
}


@dataclass
class Run:
    """The turns of one door under the same conditions."""

    service: Service
    door: str
    calls: Sequence[Call]
    connections: int
    sample: Sample = field(default_factory=Sample)
    cpu: float = 0.0

    def take(self, seconds: float) -> Sample:
        """Call for so long; more than one call are made in turn."""
        requests = cycle([DOORS[self.door](self.service.caller, call) for call in self.calls])
        return measure(self.service.address, requests, self.connections, seconds)

    def turn(self, seconds: float) -> None:
        before = self.service.cpu_seconds()
        self.sample.add(self.take(seconds))
        self.cpu += self.service.cpu_seconds() - before

    def figures(self) -> Figures:
        seconds = self.sample.seconds
        return Figures(
            action=self.calls[0].action,
            connections=self.connections,
            door=self.door,
            calls=len(seconds),
            rate=len(seconds) / self.sample.elapsed,
            p50=percentile(seconds, 0.5),
            p95=percentile(seconds, 0.95),
            cpu=self.cpu / len(seconds),
            generator=self.sample.generator / len(seconds),
            size=len(self.sample.answer),
        )


def calls_of(service: Service) -> list[list[Call]]:
    """The measured actions, a cheap read first; deciding goes from screenshot to screenshot."""
    seeded = service.seeded
    return [
        [Call("list_builds", {"repoId": seeded.repository_id, "limit": BUILDS_LISTED})],
        [Call("get_build", {"buildId": seeded.build_id})],
        [
            Call("review_screenshot", {"screenshotId": shot, "state": "rejected"})
            for shot in seeded.screenshot_ids
        ],
    ]


def measured(runs: Sequence[Run], seconds: float) -> list[Figures]:
    """Let the doors take turns until each was called for ``seconds``, and at least twice."""
    say(f"{runs[0].calls[0].action}, {runs[0].connections} at a time")
    turns = 0
    while turns < LEAST_TURNS or any(run.sample.elapsed < seconds for run in runs):
        for run in runs:
            run.turn(LOCK_RETRY_SECONDS)
            check_answer(run)
        turns += 1
    return [run.figures() for run in runs]


def check_answer(run: Run) -> None:
    """Raise UnexpectedAnswerError unless the last answer is what was asked for, at every door."""
    found: dict[str, Any] = json.loads(run.sample.answer)["result"]
    if run.door != REST:
        found = found["structuredContent"]
    if not _fits(run, found):
        raise UnexpectedAnswerError(f"{run.door} answered another thing: {str(found)[:500]}")


def _fits(run: Run, found: dict[str, Any]) -> bool:
    match run.calls[0].action:
        case "list_builds":
            # MCP may cut the list for models.
            return 0 < len(found["builds"]) <= BUILDS_LISTED
        case "get_build":
            return bool(found["build"]["id"] == run.service.seeded.build_id)
        case _:
            return bool(found["decidedScreenshots"] == 1)


def say(line: str) -> None:
    print(f"bench-mcp: {line}", flush=True)


def bench(wanted: argparse.Namespace) -> list[str]:
    """Measure, print, and return the missed bars."""
    say(
        f"{os.cpu_count()} CPUs for service, PostgreSQL and load generator together; before it "
        f"began, other programs made a load of {os.getloadavg()[0]:.1f}"
    )
    say(f"filling the service: {wanted.builds} builds, one of {wanted.screenshots} screenshots")
    rows: list[Figures] = []
    with filled_service(wanted.builds, wanted.screenshots) as service:
        for door in DOORS:
            # The first calls make threads and database connections.
            Run(service, door, calls_of(service)[0], max(CONNECTIONS)).take(WARM_UP_SECONDS)
        for calls in calls_of(service):
            for connections in CONNECTIONS:
                runs = [Run(service, door, calls, connections) for door in DOORS]
                rows += measured(runs, wanted.seconds)
    bars = bars_of(rows)
    print(table(rows), *bars, sep="\n")
    return [str(bar) for bar in bars if bar.missed]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-mcp", description=__doc__)
    parser.add_argument("--builds", type=int, default=100_000)
    parser.add_argument("--screenshots", type=int, default=12_000)
    parser.add_argument("--seconds", type=float, default=6.0, help="of calls by each door")
    wanted = parser.parse_args()
    # A cancelled CI job must stop its service too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = bench(wanted)
    except (DemoError, UnexpectedAnswerError) as error:
        print(f"bench-mcp: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-mcp: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

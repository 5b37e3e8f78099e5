"""``make bench-mcp``: the actions over REST and over both protocol versions of MCP.

The interfaces alternate, so that other load on the machine affects all of them alike.
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

from benchmarks.bars import REST, Figures, compute_bars, format_table, percentile
from benchmarks.load import Sample, UnexpectedResponseError, measure
from benchmarks.requests import NEWER, OLDER, Call, Caller
from benchmarks.service import Service, filled_service

CONNECTIONS = (1, 20)
WARM_UP_SECONDS = 1.0
# Short, so that a busy moment of the machine affects every interface.
TURN_SECONDS, LEAST_TURNS = 0.5, 2
BUILDS_LISTED = 25
INTERFACES: Mapping[str, Callable[[Caller, Call], bytes]] = {
    REST: Caller.rest,
    f"MCP {OLDER}": Caller.mcp_older,
    f"MCP {NEWER}": Caller.mcp_newer,
}


@dataclass
class Run:
    """The turns of one interface under the same conditions."""

    service: Service
    interface: str
    calls: Sequence[Call]
    connections: int
    sample: Sample = field(default_factory=Sample)
    cpu: float = 0.0

    def call(self, seconds: float) -> Sample:
        """Call for ``seconds``; several calls are made in turn."""
        requests = cycle(
            [INTERFACES[self.interface](self.service.caller, call) for call in self.calls]
        )
        return measure(self.service.address, requests, self.connections, seconds)

    def take_turn(self, seconds: float) -> None:
        before = self.service.cpu_seconds()
        self.sample.add(self.call(seconds))
        self.cpu += self.service.cpu_seconds() - before

    def compute_figures(self) -> Figures:
        seconds = self.sample.seconds
        return Figures(
            action=self.calls[0].action,
            connections=self.connections,
            interface=self.interface,
            calls=len(seconds),
            rate=len(seconds) / self.sample.elapsed,
            p50=percentile(seconds, 0.5),
            p95=percentile(seconds, 0.95),
            cpu=self.cpu / len(seconds),
            generator=self.sample.generator / len(seconds),
            size=len(self.sample.response),
        )


def calls_of(service: Service) -> list[list[Call]]:
    """Return the measured actions, a cheap read first; decisions use one screenshot each."""
    seeded = service.seeded
    return [
        [Call("list_builds", {"repoId": seeded.repository_id, "limit": BUILDS_LISTED})],
        [Call("get_build", {"buildId": seeded.build_id})],
        [
            Call("review_screenshot", {"screenshotId": shot, "state": "rejected"})
            for shot in seeded.screenshot_ids
        ],
    ]


def measure_runs(runs: Sequence[Run], seconds: float) -> list[Figures]:
    """Alternate the interfaces until each was called for ``seconds``, and at least twice."""
    say(f"{runs[0].calls[0].action}, {runs[0].connections} at a time")
    turns = 0
    while turns < LEAST_TURNS or any(run.sample.elapsed < seconds for run in runs):
        for run in runs:
            run.take_turn(TURN_SECONDS)
            check_response(run)
        turns += 1
    return [run.compute_figures() for run in runs]


def check_response(run: Run) -> None:
    """Raise UnexpectedResponseError unless the last response is the correct one."""
    found: dict[str, Any] = json.loads(run.sample.response)["result"]
    if run.interface != REST:
        found = found["structuredContent"]
    if not _is_correct(run, found):
        raise UnexpectedResponseError(
            f"{run.interface} returned something else: {str(found)[:500]}"
        )


def _is_correct(run: Run, found: dict[str, Any]) -> bool:
    match run.calls[0].action:
        case "list_builds":
            # MCP may truncate the list for models.
            return 0 < len(found["builds"]) <= BUILDS_LISTED
        case "get_build":
            return bool(found["build"]["id"] == run.service.seeded.build_id)
        case _:
            return bool(found["decidedScreenshots"] == 1)


def say(line: str) -> None:
    print(f"bench-mcp: {line}", flush=True)


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the table, and return the missed bars."""
    say(
        f"{os.cpu_count()} CPUs for service, PostgreSQL and load generator together; load average "
        f"before the run: {os.getloadavg()[0]:.1f}"
    )
    say(f"filling the service: {options.builds} builds, one of {options.screenshots} screenshots")
    rows: list[Figures] = []
    with filled_service(options.builds, options.screenshots) as service:
        for interface in INTERFACES:
            # The first calls create threads and database connections.
            Run(service, interface, calls_of(service)[0], max(CONNECTIONS)).call(WARM_UP_SECONDS)
        for calls in calls_of(service):
            for connections in CONNECTIONS:
                runs = [Run(service, interface, calls, connections) for interface in INTERFACES]
                rows += measure_runs(runs, options.seconds)
    bars = compute_bars(rows)
    print(format_table(rows), *bars, sep="\n")
    return [str(bar) for bar in bars if bar.missed]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-mcp", description=__doc__)
    parser.add_argument("--builds", type=int, default=100_000)
    parser.add_argument("--screenshots", type=int, default=12_000)
    parser.add_argument("--seconds", type=float, default=6.0, help="per action and interface")
    options = parser.parse_args()
    # A canceled CI job must stop its service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except (DemoError, UnexpectedResponseError) as error:
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

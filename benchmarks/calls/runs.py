"""Calls of one action over several interfaces, in turns."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from benchmarks.bars import (
    BARE_DJANGO,
    BARE_STARLETTE,
    EARLIER,
    REFERENCES,
    REST,
    Figures,
    percentile,
)
from benchmarks.calls.bare_paths import DJANGO_PATH, STARLETTE_PATH
from benchmarks.calls.web_processes import WebProcess
from benchmarks.load import Sample, UnexpectedResponseError, measure
from benchmarks.requests import NEWER, OLDER, Call, Caller

WARM_UP_SECONDS = 1.0
# Short, so that a busy moment of the machine affects every interface.
TURN_SECONDS, LEAST_TURNS = 0.5, 2
LISTED = 25


@dataclass(frozen=True)
class Interface:
    """A way to make a call: of which process, and with which bytes."""

    name: str
    web: WebProcess
    key: str
    encode: Callable[[Caller, Call], bytes]

    def request(self, call: Call) -> bytes:
        return self.encode(Caller(self.web.host, self.key), call)


def service_interfaces(web: WebProcess, key: str) -> list[Interface]:
    return [
        Interface(REST, web, key, Caller.rest),
        Interface(f"MCP {OLDER}", web, key, Caller.mcp_older),
        Interface(f"MCP {NEWER}", web, key, Caller.mcp_newer),
    ]


def reference_interfaces(bare: WebProcess, earlier: WebProcess | None, key: str) -> list[Interface]:
    """Return what ``list_builds`` over REST is compared with."""
    found = [
        Interface(
            BARE_DJANGO, bare, key, lambda caller, call: caller.post(DJANGO_PATH, call.arguments)
        ),
        Interface(
            BARE_STARLETTE,
            bare,
            key,
            lambda caller, call: caller.post(STARLETTE_PATH, call.arguments),
        ),
    ]
    if earlier is not None:
        found.append(Interface(EARLIER, earlier, key, Caller.rest))
    return found


@dataclass
class Run:
    """The turns of one interface under the same conditions; several calls are made in turn.

    ``title`` is what the table calls them, if not by the action.
    """

    interface: Interface
    calls: Sequence[Call]
    connections: int
    title: str = ""
    sample: Sample = field(default_factory=Sample)
    cpu: float = 0.0

    def call(self, seconds: float, count: int | None = None) -> Sample:
        """Call for ``seconds``, and at most ``count`` times."""
        requests = cycle([self.interface.request(call) for call in self.calls])
        address = self.interface.web.address
        return measure(address, islice(requests, count), self.connections, seconds)

    def take_turn(self, seconds: float) -> None:
        before = self.interface.web.cpu_seconds()
        self.sample.add(self.call(seconds))
        self.cpu += self.interface.web.cpu_seconds() - before

    def compute_figures(self) -> Figures:
        seconds = self.sample.seconds
        return Figures(
            action=self.title or self.calls[0].action,
            connections=self.connections,
            interface=self.interface.name,
            calls=len(seconds),
            rate=len(seconds) / self.sample.elapsed,
            p50=percentile(seconds, 0.5),
            p95=percentile(seconds, 0.95),
            cpu=self.cpu / len(seconds),
            generator=self.sample.generator / len(seconds),
            size=len(self.sample.response),
        )


def measure_runs(runs: Sequence[Run], seconds: float) -> list[Figures]:
    """Alternate the interfaces, REST first, for ``seconds`` of each and at least two turns."""
    turns = 0
    while turns < LEAST_TURNS or any(run.sample.elapsed < seconds for run in runs):
        for run in runs:
            run.take_turn(TURN_SECONDS)
            check_response(run, runs[0])
        turns += 1
    return [run.compute_figures() for run in runs]


def check_response(run: Run, rest: Run) -> None:
    """Raise UnexpectedResponseError unless the last response is the correct one.

    What the service is compared with must return the very JSON of ``rest``.
    """
    found: dict[str, Any] = json.loads(run.sample.response)["result"]
    if run.interface.name.startswith("MCP"):
        found = found["structuredContent"]
    equal = run.interface.name not in REFERENCES or _result_of(rest) == found
    if not equal or not _is_correct(run, found):
        raise UnexpectedResponseError(
            f"{run.interface.name} returned something else: {str(found)[:500]}"
        )


def _result_of(run: Run) -> object:
    return json.loads(run.sample.response)["result"]


def _is_correct(run: Run, found: dict[str, Any]) -> bool:
    match run.calls[0].action:
        case "list_builds":
            # MCP may truncate the list for models.
            return 0 < len(found["builds"]) <= LISTED
        case "get_build":
            return found["build"]["id"] in {call.arguments["buildId"] for call in run.calls}
        case _:
            return bool(found["decidedScreenshots"] == 1)

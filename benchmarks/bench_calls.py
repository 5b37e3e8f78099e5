"""``make bench-calls``: the actions over REST and over both protocol versions of MCP.

Next to them, ``list_builds`` as a bare Django view, with the same queries and JSON, in a web
process of its own. All of them alternate, so that other load on the machine affects all alike.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

import httpx
import psutil
from scripts.demo_folder import DemoError
from scripts.setup_steps import ROOT, VENV_BIN, SetupError

from benchmarks.load import Sample, UnexpectedResponseError, measure, percentile
from benchmarks.requests import NEWER, OLDER, Call, Caller
from benchmarks.service import Service, WebProcess, filled_service
from visual_review.config.environment import PUBLIC_URL

CONNECTIONS = (1, 20)
COMMENTS = 20
LISTED = 25
BARE_PATH = "/api/bare/list_builds"
# Short, so that a busy moment of the machine affects every interface.
TURN_SECONDS, LEAST_TURNS = 0.5, 2
# REST may take so many times the elapsed and CPU time of the bare view, MCP of REST's.
BARE_TIMES, MCP_TIMES = 3.0, 1.4
GET_BUILD_SECONDS = 1.0
READY_SECONDS, STEP_SECONDS = 60.0, 0.1
SERVE = """
import socket, sys
import visual_review.config.settings
visual_review.config.settings.ROOT_URLCONF = "benchmarks.bare_builds"
from visual_review.config.boot import load
load("visual_review.config.http.serve.serve")(socket.socket(fileno=int(sys.argv[1])))
"""
HEAD = "action             conns  interface        calls   p50 ms   p95 ms  CPU ms"


@dataclass
class Run:
    """The calls of one action over one interface; ``encode`` makes the request of a call."""

    interface: str
    web: WebProcess
    encode: Callable[[Call], bytes]
    calls: Sequence[Call]
    connections: int
    sample: Sample = field(default_factory=Sample)
    cpu: float = 0.0

    def take_turn(self) -> None:
        before = self.web.cpu_seconds()
        requests = cycle([self.encode(call) for call in self.calls])
        self.sample.add(measure(self.web.address, requests, self.connections, TURN_SECONDS))
        self.cpu += self.web.cpu_seconds() - before

    def percentile(self, share: float) -> float:
        return percentile(self.sample.seconds, share)

    @property
    def cpu_seconds(self) -> float:
        return self.cpu / len(self.sample.seconds)

    def __str__(self) -> str:
        return (
            f"{self.calls[0].action:<19}{self.connections:>5}  {self.interface:<15}"
            f"{len(self.sample.seconds):>7}{self.percentile(0.5) * 1000:>9.2f}"
            f"{self.percentile(0.95) * 1000:>9.2f}{self.cpu_seconds * 1000:>8.2f}"
        )


@contextmanager
def bare_web(service: Service) -> Iterator[WebProcess]:
    """Run another web process on the service's database, with the bare view in addition."""
    environment = {
        **os.environ,
        PUBLIC_URL: service.url,
        "DJANGO_SETTINGS_MODULE": "visual_review.config.settings",
    }
    with (
        socket.create_server(("127.0.0.1", 0), backlog=2048) as listener,
        (service.folder / "bare.log").open("wb") as log,
        subprocess.Popen(
            [str(VENV_BIN / "python"), "-c", SERVE, str(listener.fileno())],
            cwd=ROOT,
            env=environment,
            pass_fds=[listener.fileno()],
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            web = WebProcess(listener.getsockname(), psutil.Process(process.pid))
            wait_until_ready(web)
            yield web
        finally:
            process.terminate()


def wait_until_ready(web: WebProcess) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"http://{web.host}/readyz", timeout=READY_SECONDS).is_success:
                return
        except httpx.TransportError:
            # The web process does not accept connections yet.
            pass
        time.sleep(STEP_SECONDS)
    raise DemoError("The web process with the bare view did not become ready; see bare.log.")


def runs_of(service: Service, calls: Sequence[Call], connections: int) -> list[Run]:
    caller = Caller(service.web.host, service.key)
    return [
        Run("REST", service.web, caller.rest, calls, connections),
        Run(f"MCP {OLDER}", service.web, caller.mcp_older, calls, connections),
        Run(f"MCP {NEWER}", service.web, caller.mcp_newer, calls, connections),
    ]


def measure_runs(runs: Sequence[Run], seconds: float) -> Sequence[Run]:
    """Alternate the runs for ``seconds`` of each and at least two turns."""
    action, connections = runs[0].calls[0].action, runs[0].connections
    say(f"{action}, {connections} at a time")
    turns = 0
    while turns < LEAST_TURNS or any(run.sample.elapsed < seconds for run in runs):
        for run in runs:
            run.take_turn()
        turns += 1
    return runs


def measure_service(service: Service, bare: WebProcess, seconds: float) -> list[Run]:
    seeded = service.seeded
    listing = [Call("list_builds", {"repoId": seeded.repository_id, "limit": LISTED})]
    builds = [Call("get_build", {"buildId": build_id}) for build_id in seeded.build_ids]
    # Each has another comment than the one before: the same decision again would write nothing.
    decisions = [
        Call("review_screenshot", {"screenshotId": shot, "state": "rejected", "comment": comment})
        for comment in map(str, range(COMMENTS))
        for shot in seeded.screenshot_ids
    ]
    caller = Caller(bare.host, service.key)
    found: list[Run] = []
    for connections in CONNECTIONS:
        view = Run(
            "bare Django",
            bare,
            lambda call: caller.post(BARE_PATH, call.arguments),
            listing,
            connections,
        )
        together = [*runs_of(service, listing, connections), view]
        found += measure_runs(together, seconds)
        if json.loads(view.sample.response) != json.loads(together[0].sample.response):
            raise UnexpectedResponseError("The bare view returns something else than list_builds.")
        found += measure_runs(runs_of(service, builds[:connections], connections), seconds)
        found += measure_runs(runs_of(service, decisions, connections), seconds)
    return found


def find_bars(runs: Sequence[Run]) -> Iterator[tuple[bool, str]]:
    """Yield for each bar whether the bar was missed, and a line of text."""
    by_key = {(run.calls[0].action, run.connections, run.interface): run for run in runs}
    for (action, connections, interface), run in by_key.items():
        where = f"{action} over {interface} at {connections}"
        rest = by_key[action, connections, "REST"]
        bare = by_key.get((action, connections, "bare Django"))
        if interface.startswith("MCP"):
            yield compare(where, "p50", run.percentile(0.5), rest.percentile(0.5), MCP_TIMES)
        if interface == "REST" and bare is not None:
            yield compare(where, "p50", run.percentile(0.5), bare.percentile(0.5), BARE_TIMES)
            yield compare(where, "CPU", run.cpu_seconds, bare.cpu_seconds, BARE_TIMES)
        if interface == "REST" and (action, connections) == ("get_build", 1):
            yield compare(where, "p50", run.percentile(0.5), GET_BUILD_SECONDS, 1.0)


def compare(
    where: str, measure_name: str, found: float, reference: float, times: float
) -> tuple[bool, str]:
    missed = found >= times * reference
    return missed, (
        f"{'MISSED' if missed else 'met'}: {where}: {measure_name} {found * 1000:.2f} ms, "
        f"{found / reference:.2f} of {reference * 1000:.2f} ms, bar {times}"
    )


def say(line: str) -> None:
    print(f"bench-calls: {line}", flush=True)


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the table, and return the missed bars."""
    say(f"load average before the run: {os.getloadavg()[0]:.1f}")
    say(f"filling the service: {options.builds} builds, 20 of {options.screenshots} screenshots")
    with filled_service(options.builds, options.screenshots) as service, bare_web(service) as bare:
        runs = measure_service(service, bare, options.seconds)
    bars = list(find_bars(runs))
    print(HEAD, *runs, *(line for _, line in bars), sep="\n")
    return [line for missed, line in bars if missed]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-calls", description=__doc__)
    parser.add_argument("--builds", type=int, default=100_000)
    parser.add_argument("--screenshots", type=int, default=12_000)
    parser.add_argument("--seconds", type=float, default=6.0, help="per action and interface")
    options = parser.parse_args()
    # A canceled CI job must stop the service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except (DemoError, SetupError, UnexpectedResponseError) as error:
        print(f"bench-calls: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-calls: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``make bench-page``: how long a reviewer waits for the review page of a large build.

The program as ``visual-review up``, and a real Chromium with an empty and with a filled cache,
without latency and with 100 ms.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import rmtree
from typing import Any, Final

from scripts.demo_folder import DemoError, demo_folder
from tests.support.servers.service import start

from benchmarks.children import find_child
from benchmarks.page.data_folder import copy_filled_folder
from benchmarks.page.group_grid import HEAD as GRID_HEAD
from benchmarks.page.group_grid import GridRow, measure_grid
from benchmarks.page.presses import HEAD as PRESS_HEAD
from benchmarks.page.presses import PressRow, measure_presses
from benchmarks.page.results import SERVER_HEAD, TAB_HEAD, ServerRow, TabRow
from benchmarks.page.server_times import Reviewer, measure_approval, measure_reads
from benchmarks.page.tab import open_browser
from benchmarks.page.visits import visit_builds
from benchmarks.service import connect_to
from visual_review.config.boot import load

SIZES: Final = (12_000, 1_200)
LATENCIES: Final = (0.0, 0.1)
EMAIL: Final = "alice@example.com"
Row = ServerRow | TabRow | PressRow | GridRow


def say(line: object) -> None:
    print(f"bench-page: {line}", flush=True)


@dataclass(frozen=True)
class Bench:
    """A running service with the builds; ``builds`` are their names by ID."""

    reviewer: Reviewer
    builds: dict[str, str]

    def measure(self, parts: Sequence[str], latencies: Sequence[float]) -> list[Row]:
        rows: list[Row] = []
        if "server" in parts:
            rows += self._print(SERVER_HEAD, self._measure_requests())
        if "tab" in parts:
            rows += self._print(TAB_HEAD, self._visit(latencies))
        if "approve" in parts:
            rows += self._print(SERVER_HEAD, self._approve())
        if "presses" in parts:
            rows += self._print(PRESS_HEAD, measure_presses())
        if "grid" in parts:
            rows += self._print(GRID_HEAD, measure_grid())
        return rows

    def _measure_requests(self) -> Iterator[ServerRow]:
        # By name, because models can be imported only when the database is configured.
        counter = load("benchmarks.page.query_counts.query_counter")(EMAIL)
        for build, name in self.builds.items():
            yield from measure_reads(self.reviewer, counter.count, name, build)

    def _visit(self, latencies: Sequence[float]) -> Iterator[TabRow]:
        cookies = dict(self.reviewer.client.cookies)
        with open_browser() as browser:
            for latency in latencies:
                yield from visit_builds(browser, self.reviewer.url, cookies, self.builds, latency)

    def _approve(self) -> Iterator[ServerRow]:
        for build, name in self.builds.items():
            yield measure_approval(self.reviewer, name, build)

    def _print(self, head: str, rows: Iterator[Row]) -> list[Row]:
        print(head)
        printed = []
        for row in rows:
            print(row, flush=True)
            printed.append(row)
        return printed


@contextmanager
def running_bench(sizes: list[int]) -> Iterator[Bench]:
    with demo_folder("bench-page") as folder:
        facts = copy_filled_folder(folder, sizes)
        data = folder / "data"
        try:
            service = start(data)
            try:
                connect_to(data)
                web = find_child(service.process.process.pid, "web")
                # By name, as above.
                password = load("tests.support.personas.PASSWORD")
                reviewer = Reviewer(service.address, EMAIL, password, web)
                yield Bench(reviewer, _names(facts))
            finally:
                service.process.end()
        finally:
            # A gigabyte that the next run does not need; the server's log stays.
            rmtree(data, ignore_errors=True)


def _names(facts: list[dict[str, Any]]) -> dict[str, str]:
    names = {}
    for each in facts:
        names[each["few_changed"]] = f"{each['screenshots']:,}, 5 % changed"
        names[each["all_changed"]] = f"{each['screenshots']:,}, all changed"
    return names


def serve(bench: Bench) -> None:
    say(f"{bench.reviewer.url}, {EMAIL}, {bench.reviewer.password!r}; Ctrl-C ends it")
    for build, name in bench.builds.items():
        say(f"{name}: {bench.reviewer.url}/builds/{build}")
    signal.pause()


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-page", description=__doc__)
    parser.add_argument("--sizes", type=_numbers, default=list(SIZES))
    parser.add_argument("--latencies", type=_seconds, default=list(LATENCIES))
    parser.add_argument("--parts", default="server,tab,approve,presses,grid")
    parser.add_argument("--serve", action="store_true", help="serve the builds until Ctrl-C")
    options = parser.parse_args()
    # A canceled CI job must stop the service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    say(
        f"{os.cpu_count()} CPUs for browser, web process, worker and PostgreSQL together; load "
        f"average before the run: {os.getloadavg()[0]:.1f}"
    )
    try:
        with running_bench(options.sizes) as bench:
            if options.serve:
                serve(bench)
            rows = bench.measure(options.parts.split(","), options.latencies)
    except DemoError as error:
        print(f"bench-page: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    missed = [line for row in rows for line in row.missed()]
    print("bars missed:", *missed, sep="\n") if missed else print("all bars met")
    return 1 if missed and os.environ.get("CHECK") == "1" else 0


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _seconds(text: str) -> list[float]:
    return [float(part) / 1000 for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())

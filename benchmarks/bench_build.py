"""``make bench-build``: seconds to the verdict of a large build, and the memory of the worker.

A real web process and a real worker on a PostgreSQL of their own; the builds come over HTTP.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import DemoServer, running_server

from benchmarks.build_rows import HEAD, IdleMemory, Row
from benchmarks.children import find_child
from benchmarks.service import connect_to
from visual_review.config.boot import load

Measurements = tuple[list[IdleMemory], list[Row]]


def say(line: object) -> None:
    print(f"bench-build: {line}", flush=True)


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the table, and return the missed bars."""
    say(
        f"{os.cpu_count()} CPUs for worker, web process, PostgreSQL and CI together; load average "
        f"before the run: {os.getloadavg()[0]:.1f}"
    )
    with demo_folder("bench-build") as folder, running_server(folder, 0) as server:
        idle, rows = _measure(server, folder / "data", options)
    print(HEAD, *rows, *idle, sep="\n")
    found = [missed for row in rows for missed in row.missed()]
    return found + [missed for each in idle for missed in each.missed()]


def _measure(server: DemoServer, data: Path, options: argparse.Namespace) -> Measurements:
    connect_to(data)
    worker = find_child(server.process.pid, "worker")
    # By name, because models can be imported only when the database is configured.
    measure = load("benchmarks.build_runs.measure")
    measured: Measurements = measure(server, worker, options.screenshots, options.rounds, say)
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-build", description=__doc__)
    parser.add_argument("--screenshots", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=2, help="builds with 5 %% changed")
    options = parser.parse_args()
    # A canceled CI job must stop the service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except DemoError as error:
        print(f"bench-build: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-build: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

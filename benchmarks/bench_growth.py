"""``make bench-growth``: what lists and pages read once a million screenshots are stored.

A running service gets two repositories over HTTP, and then copies of their builds. The calls for the
newest builds are compared with the same calls in the store of few builds, in queries and in buffers
read, which other load does not affect. ``CHECK=1`` exits with 1 if a bar is missed.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from shutil import rmtree
from typing import TYPE_CHECKING, Final

from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import running_server

from benchmarks.service import connect_to
from visual_review.config.boot import load

if TYPE_CHECKING:
    from benchmarks.growing_store import Reads

MOST_TIMES: Final = 1.2
# These read builds or stories until they have found enough: no index has the text in them.
WITHOUT_BAR: Final = ("page: search",)
HEAD: Final = f"{'call':<36}{'queries':>13}{'buffers':>18}{'searches':>10}{'times':>7}"


def say(line: object) -> None:
    print(f"bench-growth: {line}", flush=True)


def run_benchmark(options: argparse.Namespace) -> dict[str, tuple["Reads", "Reads"]]:
    """Return what each call reads in a store of few builds, and in the same one of many."""
    with demo_folder("bench-growth") as folder:
        try:
            with running_server(folder, 0) as server:
                connect_to(folder / "data")
                # By name, because models can be imported only when the database is configured.
                size = load("benchmarks.growing_store.Size")
                sizes = [
                    size("acme/many", stories=2, changed=1, few=600, many=options.builds),
                    size("acme/large", stories=200, changed=60, few=4, many=options.large_builds),
                ]
                found: dict[str, tuple[Reads, Reads]]
                found = load("benchmarks.growing_store.measure")(server, sizes, say)
                print_table(found)
                if options.restore:
                    back_up = load("benchmarks.backup_runs.back_up_and_restore")
                    for line in back_up(folder / "data", folder / "backup"):
                        say(line)
                return found
        finally:
            # Some gigabytes that the next run does not need; the server's log stays.
            for name in ("data", "backup"):
                rmtree(folder / name, ignore_errors=True)


def times_of(small: "Reads", large: "Reads") -> float:
    """Return how many times as much is read; trees of large indexes may be a level higher."""
    return (large.buffers - large.searches) / max(small.buffers, 1)


def missed(found: dict[str, tuple["Reads", "Reads"]]) -> Iterator[str]:
    for name, (small, large) in found.items():
        if name.startswith(WITHOUT_BAR):
            continue
        if (times := times_of(small, large)) > MOST_TIMES:
            yield f"{name}: {times:.2f} times the buffers, bar {MOST_TIMES}"
        if len(large.queries) > len(small.queries) * MOST_TIMES:
            yield f"{name}: {len(large.queries)} queries instead of {len(small.queries)}"


def print_table(found: dict[str, tuple["Reads", "Reads"]]) -> None:
    print(HEAD)
    for name, (small, large) in found.items():
        print(
            f"{name:<36}{len(small.queries):>6}{len(large.queries):>7}"
            f"{small.buffers:>9}{large.buffers:>9}{large.searches:>10}"
            f"{times_of(small, large):>7.2f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-growth", description=__doc__)
    parser.add_argument("--builds", type=int, default=39_400, help="more builds of 12 screenshots")
    parser.add_argument("--large-builds", type=int, default=440, help="more of 1,200")
    parser.add_argument("--restore", action="store_true", help="also back up and restore all of it")
    parser.add_argument("--explain", default="", help="also print the queries of this call")
    options = parser.parse_args()
    try:
        found = run_benchmark(options)
    except DemoError as error:
        print(f"bench-growth: {error}", file=sys.stderr)
        return 2
    for query in found[options.explain][1].queries if options.explain else ():
        print(query)
    lines = list(missed(found))
    print(*(f"missed: {line}" for line in lines), sep="\n")
    return 1 if lines and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())

"""``make bench-lists``: the pages of repositories and builds, in a large organization.

A running service's database gets 200 repositories with 100,000 builds, and each page is rendered
for an owner, as in the web process. ``CHECK=1`` exits with 1 if a bar is missed.
"""

import argparse
import os
import sys
from shutil import rmtree
from statistics import median
from typing import Final

from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import running_server

from benchmarks.service import connect_to
from visual_review.config.boot import load

MOST_MILLISECONDS: Final = 200
MOST_QUERIES: Final = 12
# Pages with bars; others are for information.
WITH_BARS: Final = ("home", "repositories", "builds")


def measure(repositories: int, builds: int, times: int) -> dict[str, tuple[list[float], int]]:
    """Return the seconds of each rendering of each page, and the number of queries."""
    with demo_folder("bench-lists") as folder:
        try:
            with running_server(folder, 0):
                connect_to(folder / "data")
                load("benchmarks.listed_pages.fill")(repositories, builds)
                found: dict[str, tuple[list[float], int]]
                found = load("benchmarks.listed_pages.measure")(times)
                return found
        finally:
            rmtree(folder / "data", ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-lists", description=__doc__)
    parser.add_argument("--repositories", type=int, default=200)
    parser.add_argument("--builds", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    try:
        found = measure(options.repositories, options.builds, options.times)
    except DemoError as error:
        print(f"bench-lists: {error}", file=sys.stderr)
        return 2
    is_missed = False
    for name, (seconds, queries) in found.items():
        milliseconds = 1000 * median(seconds)
        print(f"{name:<28} {milliseconds:8.1f} ms  {queries:3} queries")
        too_much = milliseconds > MOST_MILLISECONDS or queries > MOST_QUERIES
        is_missed |= name in WITH_BARS and too_much
    print(f"bars: {MOST_MILLISECONDS} ms and {MOST_QUERIES} queries for {', '.join(WITH_BARS)}")
    return 1 if is_missed and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())

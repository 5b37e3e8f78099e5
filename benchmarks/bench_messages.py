"""``make bench-messages``: the delay of commit statuses by waiting messages.

Jobs for a Git provider run one after the other on a running service: first with nothing else, then
while deliveries wait for a stopped receiver. ``CHECK=1`` exits with 1 if the bar is missed.
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

# With deliveries waiting, the median may be so many times the median without.
MOST_TIMES: Final = 1.5


def measure(deliveries: int, jobs: int) -> tuple[list[float], list[float]]:
    """Return the seconds of each job, without and with so many waiting deliveries."""
    with demo_folder("bench-messages") as folder:
        try:
            with running_server(folder, 0):
                connect_to(folder / "data")
                run = load("benchmarks.waiting_messages.measure")
                # The first ones also load modules.
                run(jobs // 10)
                alone = run(jobs)
                load("benchmarks.waiting_messages.fill")(deliveries)
                return alone, run(jobs)
        finally:
            rmtree(folder / "data", ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-messages", description=__doc__)
    parser.add_argument("--deliveries", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=200)
    options = parser.parse_args()
    try:
        alone, waiting = measure(options.deliveries, options.jobs)
    except DemoError as error:
        print(f"bench-messages: {error}", file=sys.stderr)
        return 2
    for name, found in (("nothing waits", alone), (f"{options.deliveries:,} wait", waiting)):
        milliseconds = sorted(1000 * each for each in found)
        print(
            f"{name:<20} {median(milliseconds):8.1f} ms  "
            f"p95 {milliseconds[int(0.95 * len(milliseconds))]:8.1f} ms"
        )
    times = median(waiting) / median(alone)
    print(f"{times:.2f} times, bar {MOST_TIMES}")
    return 1 if times > MOST_TIMES and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())

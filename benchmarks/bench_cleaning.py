"""``make bench-cleaning``: seconds of the worker for deleting builds past their retention.

A running service gets 1,000 approved builds of 500 screenshots: one screenshot in 20 differs, so
that its image, its comparison and their thumbnails belong to one build only. The nightly sweep then
deletes rows and files. ``CHECK=1`` exits with 1 if the bar is missed.
"""

import argparse
import os
import sys
from shutil import rmtree
from typing import Final

from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import running_server

from benchmarks.service import connect_to
from visual_review.config.boot import load

BAR_SECONDS: Final = 60.0


def measure(builds: int, screenshots: int) -> float:
    """Return the seconds from the start of the sweep until nothing of the builds is left."""
    with demo_folder("bench-cleaning") as folder:
        try:
            with running_server(folder, 0):
                connect_to(folder / "data")
                load("benchmarks.expired_builds.fill")(builds, screenshots)
                seconds: float = load("benchmarks.expired_builds.clean")()
                return seconds
        finally:
            rmtree(folder / "data", ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-cleaning", description=__doc__)
    parser.add_argument("--builds", type=int, default=1000)
    parser.add_argument("--screenshots", type=int, default=500)
    options = parser.parse_args()
    try:
        seconds = measure(options.builds, options.screenshots)
    except DemoError as error:
        print(f"bench-cleaning: {error}", file=sys.stderr)
        return 2
    rate = options.builds / seconds
    print(
        f"{options.builds:,} builds of {options.screenshots} screenshots: {seconds:.1f} s, "
        f"{rate:.1f} builds/s, bar {BAR_SECONDS:.0f} s"
    )
    return 1 if seconds > BAR_SECONDS and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())

"""``make bench-worker``: how long a small build takes next to another team's work."""

import os
import sys

from scripts.demo_folder import demo_folder
from scripts.demo_server import running_server

from benchmarks.service import connect_to
from visual_review.config.boot import load

SCREENSHOTS = int(os.environ.get("SCREENSHOTS", "3000"))
# A build may take this much longer than alone.
BAR_SECONDS = 10.0


def main() -> int:
    with demo_folder("bench-worker") as folder, running_server(folder, 0):
        connect_to(folder / "data")
        rows: list[tuple[str, float]] = load("benchmarks.small_build.measure")(SCREENSHOTS)
    alone = rows[0][1]
    missed = [name for name, seconds in rows if seconds > alone + BAR_SECONDS]
    for name, seconds in rows:
        print(f"{name:<56}{seconds:>8.1f} s{'  MISSED' if name in missed else ''}")
    return 1 if missed and os.environ.get("CHECK") else 0


if __name__ == "__main__":
    sys.exit(main())

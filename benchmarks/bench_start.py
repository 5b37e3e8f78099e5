"""``make bench-start``: how long ``visual-review up`` takes, and what it holds when it is idle.

Starts of this version and of an earlier commit alternate, so that other load on the machine affects
both alike.
"""

import argparse
import os
import platform
import signal
import sys
from collections import defaultdict
from pathlib import Path
from shutil import rmtree

from scripts.demo_folder import DemoError, demo_folder
from scripts.setup_steps import VENV_BIN, SetupError

from benchmarks.earlier import NO_HISTORY, ensure_earlier
from benchmarks.start.memory import ProcessMemory
from benchmarks.start.observation import Start, observe_start
from benchmarks.start.results import (
    EMPTY,
    EXISTING,
    format_lines,
    format_memory,
    format_steps,
    missed_bars,
)

IDLE_SECONDS = 10.0
EARLIER = "earlier, "
Columns = dict[str, list[Start]]


def measure_starts(folder: Path, rounds: int) -> Columns:
    """Start each version on an empty folder, then again on the same one, ``rounds`` times."""
    programs = {"": VENV_BIN / "visual-review"}
    earlier = ensure_earlier()
    if earlier is None:
        say(NO_HISTORY)
    else:
        programs[EARLIER] = earlier / ".venv" / "bin" / "visual-review"
    columns: Columns = defaultdict(list)
    for number in range(rounds):
        # Reading memory takes ten seconds, and it is the same each time.
        idle_seconds = IDLE_SECONDS if number == rounds - 1 else None
        for prefix, program in programs.items():
            say(f"round {number + 1} of {rounds}: {prefix or 'this version, '}twice")
            data = folder / "data"
            columns[prefix + EMPTY].append(observe_start(program, data))
            columns[prefix + EXISTING].append(observe_start(program, data, idle_seconds))
            rmtree(data)
    return columns


def print_results(columns: Columns) -> list[str]:
    """Print the tables; return the missed bars."""
    print(format_steps(columns))
    for folder in (EMPTY, EXISTING):
        print(f"\noutput, {folder}:", *format_lines(columns[folder]), sep="\n")
    memory: list[ProcessMemory] | None = None
    for prefix in ("", EARLIER):
        if not (starts := columns.get(prefix + EXISTING)):
            continue
        found = starts[-1].memory
        if found is None:
            print("\nThe memory of the processes was not read: only root may.")
            break
        memory = memory or found
        print(f"\n{prefix}{IDLE_SECONDS:.0f} s after it was ready\n{format_memory(found)}")
    return list(missed_bars(columns, memory))


def say(line: str) -> None:
    print(f"bench-start: {line}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # A canceled CI job must stop its service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    say(
        f"{os.cpu_count()} CPUs, {platform.platform(terse=True)}, Python "
        f"{platform.python_version()}; load average before the run: {os.getloadavg()[0]:.1f}"
    )
    try:
        with demo_folder("bench-start") as folder:
            missed = print_results(measure_starts(folder, options.rounds))
    except (DemoError, SetupError) as error:
        print(f"bench-start: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(*(f"MISSED: {bar}" for bar in missed), sep="\n")
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-start: {len(missed)} bar(s) missed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

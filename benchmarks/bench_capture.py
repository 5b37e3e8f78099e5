"""``make bench-capture``: captures of Storybooks by this project, storycap and a bare loop.

The programs take turns in every round, so that other load on the machine affects all of them alike.
All use the same browser with the same flags.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from scripts.setup_steps import SetupError

from benchmarks.capture.installation import STORYCAP, Installation, ensure_programs
from benchmarks.capture.processes import adopt_orphans
from benchmarks.capture.programs import PROGRAMS, Job
from benchmarks.capture.results import HEAD, Bar, Comparison, compute_bars, format_rows
from benchmarks.capture.runs import FOLDER, run_program
from benchmarks.capture.storybooks import (
    REAL_FOLDERS,
    Storybook,
    add_storybook_options,
    choose_sample,
    choose_storybooks,
)
from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.machine import describe_machine, describe_node
from visual_review.client.capture.server import StaticServer
from visual_review.variants import DEVICES, Device

ROUNDS: Final = 3
# Stories of each Storybook: few enough for less than 45 minutes on two cores.
STORIES: Final = 80
EQUAL_PAGES: Final = (1, 2, 4)
DEFAULTS: Final = "defaults"
# One variant where pages are equal; storycap shows no theme, but several sizes.
ONE: Final[tuple[Device, ...]] = ("desktop",)
ALL: Final[tuple[Device, ...]] = tuple(DEVICES)


class Benchmark:
    """One run: Storybooks, programs, and options."""

    def __init__(self, options: argparse.Namespace, installed: Installation) -> None:
        self._options = options
        self._installed = installed

    def measure(self, book: Storybook) -> Iterator[Comparison]:
        """Yield the comparisons of one Storybook, one for each number of pages."""
        sample = choose_sample(book, self._options, FOLDER / "sample")
        # The server is in this process, idle meanwhile.
        with StaticServer(sample.folder) as server:
            for pages in self._options.pages:
                yield self._compare(sample, server.port, None if pages == DEFAULTS else int(pages))

    def _compare(self, book: Storybook, port: int, pages: int | None) -> Comparison:
        devices = ALL if pages is None else ONE
        job = Job(book.folder, port, devices, pages)
        expected = len(book.stories) * len(devices)
        comparison = Comparison(
            book.name,
            len(book.stories),
            expected,
            pages,
            {program: [] for program in self._options.programs},
        )
        for number in range(self._options.rounds):
            for program in _rotate(self._options.programs, number):
                done = run_program(program, job, self._installed, expected)
                comparison.rounds[program].append(done)
        return comparison


def _rotate(programs: Sequence[str], number: int) -> Sequence[str]:
    """Let another program be the first in each round."""
    start = number % len(programs)
    return [*programs[start:], *programs[:start]]


def run_benchmark(benchmark: Benchmark, books: Sequence[Storybook]) -> list[Bar]:
    """Measure, print the table and the bars, and return the missed ones."""
    print(HEAD, flush=True)
    comparisons = []
    for book in books:
        for comparison in benchmark.measure(book):
            comparisons.append(comparison)
            print(*format_rows(comparison), sep="\n", flush=True)
    bars = compute_bars(comparisons)
    missed = [bar for bar in bars if bar.missed]
    print(*(bar for bar in bars if bar.missed or bar.aim_missed), sep="\n")
    print(f"{len(bars) - len(missed)} of {len(bars)} bars met", flush=True)
    return missed


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-capture", description=__doc__)
    add_storybook_options(parser, REAL_FOLDERS, STORIES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--pages",
        nargs="+",
        default=[*map(str, EQUAL_PAGES), DEFAULTS],
        help="numbers of open pages, or 'defaults'",
    )
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    return parser.parse_args(arguments)


def main() -> int:
    options = read_options()
    adopt_orphans()
    try:
        books = choose_storybooks(options)
        installed = ensure_programs()
        FOLDER.mkdir(parents=True, exist_ok=True)
        version = STORYCAP.version_of("storycap")
        print(f"{describe_machine()}; storycap {version}; {describe_node(installed.node)}")
        missed = run_benchmark(Benchmark(options, installed), books)
    except (BenchmarkError, SetupError) as error:
        print(f"bench-capture: {error}", file=sys.stderr)
        return 2
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-capture: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``make bench-diff``: comparisons by this project and by odiff, blazediff, pixelmatch, reg-cli.

The programs take turns in every round, so that other load on the machine affects all of them alike.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence

from scripts.setup_steps import SetupError

from benchmarks.diff.changes import HEAD as CHANGES_HEAD
from benchmarks.diff.changes import compute_changes_bars, format_changes_row, measure_changes
from benchmarks.diff.command_line import measure_commands
from benchmarks.diff.engines import Program, WarmProcess, make_programs
from benchmarks.diff.errors import BenchmarkError
from benchmarks.diff.folder import COUNT, measure_folders, write_folders
from benchmarks.diff.installation import Installation, ensure_peers, versions
from benchmarks.diff.kinds import FORMS, KINDS, SIZES
from benchmarks.diff.machine import describe_machine, describe_node
from benchmarks.diff.memory import measure_memory
from benchmarks.diff.names import ANALYZED, PIXELMATCH
from benchmarks.diff.noise import measure_noise
from benchmarks.diff.pages import Cell, ensure_pages, find_real_pairs, make_cells
from benchmarks.diff.pairs import measure_cells
from benchmarks.diff.results import (
    HEAD,
    Bar,
    compute_bars,
    format_row,
    summarize_bars,
    summarize_counts,
)
from benchmarks.diff.totals import (
    compute_command_bars,
    compute_folder_bars,
    compute_memory_bars,
    compute_noise_bars,
    format_commands,
    format_folder,
    format_memory,
    format_noise,
)

REAL = "real"
ROUNDS, TOTAL_ROUNDS = 7, 5
NOISE_ROUNDS = 2


class Benchmark:
    """One run: programs and options."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.installed: Installation | None = None
        self.programs: list[Program] = []
        self.analyzing: list[Program] = []

    def prepare(self) -> None:
        """Install the other programs, write the pages and announce the measurement."""
        if not self.options.alone:
            self.installed = ensure_peers()
        ensure_pages()
        self.analyzing = make_programs(self.installed)
        self.programs = [each for each in self.analyzing if each.name != ANALYZED]
        say(describe_machine())
        process = WarmProcess(self.programs[0])
        process.stop()
        others = []
        if self.installed is not None:
            others = [*versions(), describe_node(self.installed.node)]
        say("; ".join([f"our engine: {process.greeting['engine']}", *others]))

    def measure_pairs(self) -> list[Bar]:
        rows = []
        print(HEAD, flush=True)
        for row in measure_cells(self.programs, self._make_cells(), self.options.rounds):
            rows.append(row)
            print(format_row(row), flush=True)
        print(*summarize_counts(rows), sep="\n")
        return compute_bars(rows)

    def measure_changes(self) -> list[Bar]:
        rows = []
        print(CHANGES_HEAD, flush=True)
        for row in measure_changes(self.analyzing, self._make_cells(), self.options.rounds):
            rows.append(row)
            print(format_changes_row(row), flush=True)
        return compute_changes_bars(rows)

    def _make_cells(self) -> list[Cell]:
        cells = make_cells(self.options.sizes, self.options.forms, self.options.kinds)
        return cells + (_real_cells() if self.options.real else [])

    def measure_folder(self) -> list[Bar]:
        changed = write_folders()
        say(f"{COUNT - changed} of {COUNT} pairs have equal bytes; the others get only the rest")
        times = measure_folders(self.programs, self.installed, self.options.totals)
        print(*format_folder(times, COUNT), sep="\n")
        return compute_folder_bars(times)

    def measure_command(self) -> list[Bar]:
        times = measure_commands(self.installed, self.options.totals)
        print(*format_commands(times), sep="\n")
        return compute_command_bars(times)

    def measure_memory(self) -> list[Bar]:
        uses = measure_memory(self.programs[0])
        print(*format_memory(uses), sep="\n")
        return compute_memory_bars(uses)

    def measure_noise(self) -> list[Bar]:
        programs = [program for program in self.programs if program.gives_verdicts]
        samples = measure_noise(
            [program for program in programs if program.name != PIXELMATCH], NOISE_ROUNDS
        )
        print(*format_noise(samples), sep="\n")
        return compute_noise_bars(samples)


PARTS: Mapping[str, Callable[[Benchmark], list[Bar]]] = {
    "pairs": Benchmark.measure_pairs,
    "changes": Benchmark.measure_changes,
    "folder": Benchmark.measure_folder,
    "command": Benchmark.measure_command,
    "memory": Benchmark.measure_memory,
    "noise": Benchmark.measure_noise,
}


def say(line: str) -> None:
    print(f"bench-diff: {line}", flush=True)


def _real_cells() -> list[Cell]:
    pairs = find_real_pairs()
    if not pairs:
        say("the real pairs are not in VISUAL_REVIEW_SAMPLES, so they are left out")
        return []
    return [Cell(f"{len(pairs)} pairs", "mixed", REAL, pairs)]


def run_benchmark(options: argparse.Namespace) -> list[str]:
    """Measure, print the tables, and return the missed bars."""
    benchmark = Benchmark(options)
    benchmark.prepare()
    bars: list[Bar] = []
    for part in options.parts:
        bars += PARTS[part](benchmark)
        print(flush=True)
    print(*summarize_bars(bars), sep="\n")
    return [str(bar) for bar in bars if bar.missed]


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-diff", description=__doc__)
    _add_choice(parser, "parts", list(PARTS))
    _add_choice(parser, "sizes", list(SIZES))
    _add_choice(parser, "forms", list(FORMS))
    _add_choice(parser, "kinds", list(KINDS))
    parser.add_argument("--no-real", dest="real", action="store_false", help="no real pairs")
    parser.add_argument("--alone", action="store_true", help="measure no other program")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the pairs")
    parser.add_argument("--totals", type=int, default=TOTAL_ROUNDS, help="rounds of the rest")
    return parser.parse_args(arguments)


def _add_choice(parser: argparse.ArgumentParser, name: str, values: list[str]) -> None:
    def split(text: str) -> list[str]:
        chosen = text.split(",")
        if unknown := set(chosen) - set(values):
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}; choose from {values}")
        return chosen

    parser.add_argument(f"--{name}", type=split, default=values, help=f"of {','.join(values)}")


def main() -> int:
    options = read_options()
    # A canceled CI job must stop every started process, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        missed = run_benchmark(options)
    except (BenchmarkError, SetupError) as error:
        print(f"bench-diff: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-diff: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

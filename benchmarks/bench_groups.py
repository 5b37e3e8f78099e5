"""``make bench-groups``: groups and kinds of real changes with planted defects.

Prints how many decisions grouping saves, whether a group holds a defect together with an intended
change, whether faint defects are found, and how often rendering noise is taken for a faint change:
on screenshots of real commits, and on freshly rendered pages of real Storybooks. ``CHECK=1`` exits
with 1 and names every missed bar.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from benchmarks.diff.errors import BenchmarkError
from benchmarks.groups.builds import BuildOfShots, is_available, load_builds
from benchmarks.groups.faint import FaintResult, plant_faint_defects
from benchmarks.groups.pages.bars import measure_pages
from benchmarks.groups.pages.render import PAGES_OF
from benchmarks.groups.pages.render import is_available as are_storybooks_available
from benchmarks.groups.planting import PlantedBuild, plant_and_group
from benchmarks.groups.raster_noise import (
    compute_noise_bars,
    format_noise,
    is_storybook_available,
    measure_raster_noise,
)
from benchmarks.groups.results import (
    HEAD,
    Bar,
    CleanBuild,
    compute_faint_bars,
    compute_planted_bars,
    compute_whole_bar,
    format_faint,
    format_kinds,
    format_planted,
    format_whole,
)
from visual_review.imagediff.changes.grouping import group_changes

# The rules were made while looking at the first seeds, and never at the others.
TUNED, OTHER = "tuned", "other"
SEEDS: Final = {TUNED: (1, 2, 3), OTHER: (1001, 1002, 1003, 1004)}
FAINT: Final = 12


class Benchmark:
    """One run over all builds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.bars: list[Bar] = []
        self.whole: list[CleanBuild] = []
        self.planted: list[PlantedBuild] = []
        self.faint: dict[str, list[FaintResult]] = {seeds: [] for seeds in SEEDS}

    def measure(self, build: BuildOfShots) -> None:
        """Print the rows of one build."""
        groups = group_changes([shot.changed for shot in build.shots])
        row = CleanBuild(build.name, len(build.shots), len(groups), len(groups[-1].members))
        print(format_whole(row), flush=True)
        self.whole.append(row)
        for name, seeds in SEEDS.items():
            chosen = seeds[: self.options.seeds]
            rows = [plant_and_group(build, seed) for seed in chosen]
            print(format_planted(name, rows), flush=True)
            self.bars += compute_planted_bars(name, rows)
            self.planted += rows
            self.faint[name] += [plant_faint_defects(build.shots, seed, FAINT) for seed in chosen]

    def measure_noise(self) -> None:
        """Print how often pages rendered on another machine look faintly changed."""
        if not is_storybook_available():
            print("the Storybook whose pages are rendered is not in VISUAL_REVIEW_SAMPLES")
            return
        rows = measure_raster_noise()
        print(*format_noise(rows), sep="\n", flush=True)
        self.bars += [Bar(bar.text, bar.missed) for bar in compute_noise_bars(rows)]

    def measure_rendered(self) -> None:
        """Print the results for rendered pages; no one ever looked at the pages of the last set."""
        if not are_storybooks_available():
            print("the Storybooks whose pages are rendered are not in VISUAL_REVIEW_SAMPLES")
            return
        for which in PAGES_OF:
            for found in measure_pages(which):
                if isinstance(found, Bar):
                    self.bars.append(found)
                else:
                    print(found, flush=True)

    def finish(self) -> list[str]:
        """Print the rest, and return the missed bars."""
        print()
        print(*format_kinds(self.planted), sep="\n")
        print(*format_faint(self.faint), sep="\n", flush=True)
        self.bars.append(compute_whole_bar(self.whole))
        for name, found in self.faint.items():
            self.bars += compute_faint_bars(name, found)
        if self.options.pages:
            self.measure_rendered()
        if self.options.noise:
            self.measure_noise()
        missed = [str(bar) for bar in self.bars if bar.missed]
        print(*missed, f"{len(self.bars) - len(missed)} of {len(self.bars)} bars met", sep="\n")
        return missed


def run_benchmark(options: argparse.Namespace, builds: Iterable[BuildOfShots]) -> list[str]:
    """Measure, print the tables, and return the missed bars."""
    benchmark = Benchmark(options)
    print(HEAD, flush=True)
    for build in builds:
        benchmark.measure(build)
    return benchmark.finish()


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-groups", description=__doc__)
    parser.add_argument("--seeds", type=int, default=4, help="of each kind, at most")
    parser.add_argument("--no-noise", dest="noise", action="store_false", help="no raster noise")
    parser.add_argument("--no-pages", dest="pages", action="store_false", help="no rendered pages")
    return parser.parse_args(arguments)


def main() -> int:
    options = read_options()
    if not is_available():
        # Without them nothing is measured, which must not look like success where it is checked.
        print("bench-groups: the real pairs are not in VISUAL_REVIEW_SAMPLES", file=sys.stderr)
        return 2 if os.environ.get("CHECK") == "1" else 0
    try:
        missed = run_benchmark(options, load_builds())
    except BenchmarkError as error:
        print(f"bench-groups: {error}", file=sys.stderr)
        return 2
    if missed and os.environ.get("CHECK") == "1":
        print(f"bench-groups: {len(missed)} bar(s) missed:", *missed, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

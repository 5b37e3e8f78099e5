"""Measured captures, their bars, and the table; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks.capture.programs import BARE, OURS, STORYCAP

# Storycap's elapsed time as a multiple of ours, at least; and the aim.
LEAST_EQUAL: Final = 2.0
LEAST_DEFAULTS: Final = 3.0
AIM_DEFAULTS: Final = 6.0
# Our CPU time, as a multiple of the other programs' CPU time.
MOST_OF_BARE: Final = 1.5
MOST_OF_STORYCAP: Final = 0.7
NAMED: Final = 3
HEAD: Final = (
    f"{'Storybook':<24}{'stories':>8}{'pages':>9}  {'program':<11}{'images':>7}{'seconds':>9}"
    f"{'CPU s':>8}{'x ours':>22}{'our CPU x':>11}{'differ':>8}{'left':>6}"
)
Hashes = Mapping[str, str]


@dataclass(frozen=True)
class Round:
    """One run of one program: the times, and the hash of each image by its name.

    ``marked`` are the names of images reported as unstable by the program itself.
    """

    elapsed: float
    cpu: float
    images: Hashes
    leftovers: int = 0
    marked: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Comparison:
    """All rounds of all programs over one Storybook; ``pages`` is None for their defaults.

    Round ``n`` of all programs was measured one directly after the other.
    """

    book: str
    stories: int
    expected: int
    pages: int | None
    rounds: Mapping[str, list[Round]] = field(default_factory=dict)

    def ratios(self, program: str) -> list[float]:
        """Return a program's elapsed time as multiples of ours, round by round."""
        pairs = zip(self.rounds.get(program, ()), self.rounds[OURS], strict=False)
        return [theirs.elapsed / ours.elapsed for theirs, ours in pairs]

    def cpu_ratios(self, program: str) -> list[float]:
        """Return our CPU time as multiples of a program's, round by round."""
        pairs = zip(self.rounds[OURS], self.rounds.get(program, ()), strict=False)
        return [ours.cpu / theirs.cpu for ours, theirs in pairs]

    @property
    def where(self) -> str:
        return f"{self.book}, {describe_pages(self.pages)}"


@dataclass(frozen=True)
class Bar:
    """The measurement for a bar, in words."""

    text: str
    missed: bool
    aim_missed: bool = False

    def __str__(self) -> str:
        result = "MISSED" if self.missed else "met, aim missed" if self.aim_missed else "met"
        return f"{result}: {self.text}"


def describe_pages(pages: int | None) -> str:
    return "defaults" if pages is None else f"{pages} page{'s' if pages > 1 else ''}"


def find_differing(rounds: Sequence[Round]) -> list[str]:
    """Return the images that are not the same in all rounds, or are missing in one.

    Images marked in one of the rounds are left out.
    """
    names = {name for each in rounds for name in each.images}
    names -= {name for each in rounds for name in each.marked}
    return sorted(name for name in names if len({each.images.get(name) for each in rounds}) > 1)


def compute_bars(comparisons: Sequence[Comparison]) -> list[Bar]:
    """Return every bar that applies, in the order of the comparisons."""
    found: list[Bar] = []
    for comparison in comparisons:
        if comparison.ratios(STORYCAP):
            found.append(_compare_speed(comparison))
        for program, most in ((BARE, MOST_OF_BARE), (STORYCAP, MOST_OF_STORYCAP)):
            if comparison.cpu_ratios(program):
                found.append(_compare_cpu(comparison, program, most))
        found += [_compare_images(comparison)]
    return found


def format_rows(comparison: Comparison) -> list[str]:
    """Return one line for each program."""
    return [
        _format_row(comparison, program)
        for program in (OURS, STORYCAP, BARE)
        if comparison.rounds.get(program)
    ]


def _format_row(comparison: Comparison, program: str) -> str:
    rounds = comparison.rounds[program]
    pages = "defaults" if comparison.pages is None else str(comparison.pages)
    ratios = "" if program == OURS else format_ratios(comparison.ratios(program))
    cpu = "" if program == OURS else f"{median(comparison.cpu_ratios(program)):.2f}"
    return (
        f"{comparison.book:<24}{comparison.stories:>8}{pages:>9}  {program:<11}"
        f"{max(len(each.images) for each in rounds):>7}"
        f"{median(each.elapsed for each in rounds):>9.1f}"
        f"{median(each.cpu for each in rounds):>8.1f}{ratios:>22}{cpu:>11}"
        f"{len(find_differing(rounds)):>8}{sum(each.leftovers for each in rounds):>6}"
    )


def format_ratios(ratios: Sequence[float]) -> str:
    if not ratios:
        return "-"
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def _compare_speed(comparison: Comparison) -> Bar:
    times = median(comparison.ratios(STORYCAP))
    least = LEAST_DEFAULTS if comparison.pages is None else LEAST_EQUAL
    aim = AIM_DEFAULTS if comparison.pages is None else LEAST_EQUAL
    wish = f", aim {aim:.1f}" if aim > least else ""
    return Bar(
        f"{comparison.where}: {STORYCAP} takes {times:.2f} times our time, bar {least:.1f}{wish}",
        missed=times < least,
        aim_missed=times < aim,
    )


def _compare_cpu(comparison: Comparison, program: str, most: float) -> Bar:
    times = median(comparison.cpu_ratios(program))
    return Bar(
        f"{comparison.where}: we take {times:.2f} times the CPU time of {program}, bar {most:.1f}",
        missed=times > most,
    )


def _compare_images(comparison: Comparison) -> Bar:
    rounds = comparison.rounds[OURS]
    differing = find_differing(rounds)
    some = f" ({', '.join(differing[:NAMED])})" if differing else ""
    return Bar(
        f"{comparison.where}: {len(differing)} of {comparison.expected} images by us differ "
        f"between rounds without a mark{some}",
        missed=bool(differing),
    )

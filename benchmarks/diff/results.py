"""Measured times of pairs, their bars, and the table; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from benchmarks.diff.names import BLAZEDIFF, ODIFF, OURS, PIXELMATCH

WRITTEN, VERDICT = "written", "verdict"
# How many times the CPU time of ours another program takes: at least, and aimed at.
LEAST: Mapping[str, tuple[float, float | None]] = {ODIFF: (2.0, 3.0), BLAZEDIFF: (1.2, None)}
HEAD = (
    f"{'pages':<31}{'mode':<9}{'ours ms':>14}{'odiff ms':>14}{'blazediff ms':>14}"
    f"{'pixelmatch':>12}{'x odiff':>18}{'x blazediff':>18}"
)


@dataclass(frozen=True)
class Row:
    """One kind of pairs in one mode: CPU seconds of each round, and the number of different pixels.

    Round ``n`` of all programs was measured within the same second or so. ``written`` means that
    each program writes a diff image.
    """

    cell: str
    mode: str
    cpu: Mapping[str, Sequence[float]]
    different: Mapping[str, int]

    def ratios(self, peer: str) -> list[float]:
        """Return a peer's time as multiples of ours, round by round; empty without the peer."""
        return self.times_of(peer, OURS)

    def times_of(self, one: str, other: str) -> list[float]:
        """Return one program's time as multiples of another's, round by round."""
        pairs = zip(self.cpu.get(one, ()), self.cpu.get(other, ()), strict=False)
        return [first / second for first, second in pairs]


@dataclass(frozen=True)
class Bar:
    """The measurement for a bar, in words."""

    text: str
    missed: bool
    aim_missed: bool = False

    def __str__(self) -> str:
        result = "MISSED" if self.missed else "met, aim missed" if self.aim_missed else "met"
        return f"{result}: {self.text}"


def compute_bars(rows: Sequence[Row]) -> list[Bar]:
    """Return every bar for the given rows, in their order."""
    found = [
        _compare_times(row, peer, *LEAST[peer])
        for row in rows
        for peer in LEAST
        if row.ratios(peer)
    ]
    return found + [_compare_counts(row) for row in rows if PIXELMATCH in row.different]


def summarize_bars(bars: Sequence[Bar]) -> list[str]:
    """Return each missed bar and aim, and how many were met."""
    lines = [str(bar) for bar in bars if bar.missed or bar.aim_missed]
    return [*lines, f"{sum(not bar.missed for bar in bars)} of {len(bars)} bars met"]


def summarize_counts(rows: Sequence[Row]) -> list[str]:
    """Return for each program in how many rows its count equals pixelmatch's."""
    lines = []
    for name in (OURS, ODIFF, BLAZEDIFF):
        known = [row for row in rows if name in row.different and PIXELMATCH in row.different]
        equal = sum(row.different[name] == row.different[PIXELMATCH] for row in known)
        if known:
            lines.append(f"{name}: as many pixels as pixelmatch in {equal} of {len(known)} rows")
    return lines


def format_row(row: Row) -> str:
    times = "".join(
        f"{format_times(row.cpu.get(name, ())):>14}" for name in (OURS, ODIFF, BLAZEDIFF)
    )
    slow = row.cpu.get(PIXELMATCH, ())
    ratios = "".join(f"{format_ratios(row.ratios(peer)):>18}" for peer in LEAST)
    return (
        f"{row.cell:<31}{row.mode:<9}{times}{format_times(slow).split(' ')[0]:>12}{ratios}"
    ).rstrip()


def format_times(seconds: Sequence[float]) -> str:
    """Return the median in milliseconds, with half the distance between the quartiles."""
    if not seconds:
        return "-"
    middle = f"{median(seconds) * 1000:.1f}"
    return f"{middle} ±{spread(seconds) * 1000:.1f}" if len(seconds) > 1 else middle


def spread(values: Sequence[float]) -> float:
    """Return half the distance between the quartiles; one value has none."""
    if len(values) == 1:
        return 0.0
    low, _, high = quantiles(values, n=4, method="inclusive")
    return (high - low) / 2


def format_ratios(ratios: Sequence[float]) -> str:
    if not ratios:
        return "-"
    return f"{median(ratios):.2f} ({min(ratios):.1f}-{max(ratios):.1f})"


def _compare_times(row: Row, peer: str, least: float, aim: float | None) -> Bar:
    times = median(row.ratios(peer))
    wish = "" if aim is None else f", aim {aim:.1f}"
    return Bar(
        f"{row.cell}, {row.mode}: {peer} takes {times:.2f} times our CPU time, "
        f"bar {least:.1f}{wish}",
        missed=times < least,
        aim_missed=aim is not None and times < aim,
    )


def _compare_counts(row: Row) -> Bar:
    ours, theirs = row.different[OURS], row.different[PIXELMATCH]
    return Bar(
        f"{row.cell}, {row.mode}: {ours:,} pixels differ, {theirs:,} by pixelmatch",
        missed=ours != theirs,
    )

"""The effect of grouping on builds, the bars, and the tables; pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.groups.faint import FaintResult
from benchmarks.groups.planting import PlantedBuild

# Without defects, groups of all builds are at most this share of the changed screenshots.
MOST_GROUPS: Final = 0.5
HEAD = (
    f"{'build':<17}{'seeds':<12}{'changed':>8}{'groups':>8}{'largest':>8}{'saved':>7}"
    f"{'defects':>9}{'mixed':>7}{'kinds right':>13}{'first':>7}"
)


@dataclass(frozen=True)
class CleanBuild:
    """A build without defects: the number of changed screenshots, and their groups."""

    build: str
    screenshots: int
    groups: int
    largest: int


@dataclass(frozen=True)
class Bar:
    """The measurement for a bar, in words."""

    text: str
    missed: bool

    def __str__(self) -> str:
        return f"{'MISSED' if self.missed else 'met'}: {self.text}"


def format_whole(row: CleanBuild) -> str:
    saved = 1 - row.groups / row.screenshots
    return f"{row.build:<17}{'none':<12}{row.screenshots:>8}{row.groups:>8}{row.largest:>8}{saved:>7.0%}"


def format_planted(seeds: str, rows: Sequence[PlantedBuild]) -> str:
    """Return one line for a build with the defects of several seeds: means, and sums."""
    plants = [plant for row in rows for plant in row.plants]
    right = sum(plant.is_kind_right for plant in plants) / max(1, len(plants))
    changed = sum(row.screenshots for row in rows) / len(rows)
    groups = sum(row.groups for row in rows) / len(rows)
    first = sum(row.first for row in rows) / len(rows)
    mixed = sum(len(row.mixed) for row in rows)
    return (
        f"{rows[0].build:<17}{seeds:<12}{changed:>8.0f}{groups:>8.1f}"
        f"{max(row.largest for row in rows):>8}{1 - groups / changed:>7.0%}"
        f"{len(plants):>9}{mixed:>7}{right:>13.0%}{first:>7.0%}"
    )


def format_kinds(rows: Iterable[PlantedBuild]) -> list[str]:
    """Return for each kind of defect how often its name was right."""
    planted: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for plant in (plant for row in rows for plant in row.plants):
        planted[plant.kind] += 1
        right[plant.kind] += plant.is_kind_right
    return [
        f"{kind:<14}{count:>5} planted, kind right in {right[kind] / count:.0%}"
        for kind, count in sorted(planted.items())
    ]


def format_faint(results: Mapping[str, Sequence[FaintResult]]) -> list[str]:
    lines = []
    for seeds, found in results.items():
        planted: Counter[str] = Counter()
        for result in found:
            planted.update(result.planted)
        missed = sum(len(result.missed) for result in found)
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(planted.items()))
        lines.append(f"faint, seeds {seeds}: {planted.total() - missed} of {planted.total()} found")
        lines.append(f"  {kinds}")
    return lines


def compute_whole_bar(rows: Sequence[CleanBuild]) -> Bar:
    groups, screenshots = sum(row.groups for row in rows), sum(row.screenshots for row in rows)
    return Bar(
        f"all builds: {groups} groups of {screenshots} screenshots, bar {MOST_GROUPS:.0%}",
        missed=groups > MOST_GROUPS * screenshots,
    )


def compute_planted_bars(seeds: str, rows: Iterable[PlantedBuild]) -> list[Bar]:
    """Return a bar for each build and seed, with the names of mixed groups."""
    return [
        Bar(
            f"{row.build}, seed {row.seed} ({seeds}): {len(row.mixed)} groups hold a defect "
            f"together with an intended change, bar 0{_list_lines(row.mixed)}",
            missed=bool(row.mixed),
        )
        for row in rows
    ]


def compute_faint_bars(seeds: str, found: Iterable[FaintResult]) -> list[Bar]:
    return [
        Bar(
            f"faint ({seeds}): {len(result.missed)} of {result.planted.total()} missed, bar 0"
            f"{_list_lines(result.missed)}",
            missed=bool(result.missed),
        )
        for result in found
    ]


def _list_lines(lines: Sequence[str]) -> str:
    return "".join(f"\n  {line}" for line in lines)

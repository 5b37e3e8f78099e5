"""The cost of finding the changes, in addition to the comparison."""

from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.diff.engines import Program
from benchmarks.diff.names import ANALYZED, ODIFF, OURS
from benchmarks.diff.pages import Cell
from benchmarks.diff.pairs import measure_cells
from benchmarks.diff.results import WRITTEN, Bar, Row, format_ratios, format_times

# For a different pair: how many times odiff's CPU time both together may take.
MOST_OF_ODIFF = 1.5
# For an equal pair, as a multiple of the comparison alone: the spread of repeated measurements.
MOST_OF_EQUAL = 1.2
HEAD = (
    f"{'pages, with what changed':<31}{'compared ms':>16}{'and changes ms':>16}{'odiff ms':>16}"
    f"{'x compared':>18}{'x odiff':>18}"
)


def measure_changes(
    programs: Sequence[Program], cells: Sequence[Cell], rounds: int
) -> Iterator[Row]:
    """Measure ours with and without finding changes, and odiff; each writes a diff image."""
    chosen = [program for program in programs if program.name in (OURS, ANALYZED, ODIFF)]
    return measure_cells(chosen, cells, rounds, modes=(WRITTEN,))


def compute_changes_bars(rows: Sequence[Row]) -> list[Bar]:
    return [bar for row in rows if (bar := _compute_bar(row)) is not None]


def format_changes_row(row: Row) -> str:
    times = "".join(
        f"{format_times(row.cpu.get(name, ())):>16}" for name in (OURS, ANALYZED, ODIFF)
    )
    ratios = "".join(f"{format_ratios(row.times_of(ANALYZED, than)):>18}" for than in (OURS, ODIFF))
    return f"{row.cell:<31}{times}{ratios}"


def _compute_bar(row: Row) -> Bar | None:
    if row.different[OURS] == 0:
        times = median(row.times_of(ANALYZED, OURS))
        text = (
            f"{row.cell}, equal: finding out what changed takes {times:.2f} times the CPU time of "
            f"the comparison, bar {MOST_OF_EQUAL}"
        )
        return Bar(text, missed=times > MOST_OF_EQUAL)
    if ODIFF not in row.cpu:
        return None
    times = median(row.times_of(ANALYZED, ODIFF))
    text = f"{row.cell}, with what changed: {times:.2f} times odiff's CPU time, bar {MOST_OF_ODIFF}"
    return Bar(text, missed=times >= MOST_OF_ODIFF)

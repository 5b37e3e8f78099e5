"""Medians of several starts, their tables and their bars; pure."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from benchmarks.start.memory import POSTGRES, Memory, ProcessMemory, add_memory
from benchmarks.start.observation import FIRST_LINE, READY, STEPS, Start, simplify_line

EMPTY, EXISTING = "empty folder", "existing folder"
# Seconds until the service is ready, by folder.
READY_BARS: Final[Mapping[str, float]] = {EMPTY: 10.0, EXISTING: 4.0}
FIRST_LINE_BAR: Final = 1.0
MEMORY_BAR: Final = 300_000_000
MEGABYTE: Final = 1_000_000
CPU: Final = "CPU seconds of all processes"
WIDTH, NUMBER_WIDTH, SHOWN = 34, 26, 90


def median_of(starts: Sequence[Start], step: str) -> float | None:
    """Return the median of a step's seconds; None unless every start had it."""
    if step == CPU:
        return median(start.cpu for start in starts)
    if any(step not in start.steps for start in starts):
        return None
    return median(start.steps[step] for start in starts)


def format_steps(columns: Mapping[str, Sequence[Start]]) -> str:
    """Return a line for each step, with a column for each kind of start."""
    lines = [f"{'seconds until':<{WIDTH}}" + "".join(f"{name:>{NUMBER_WIDTH}}" for name in columns)]
    for step in (*STEPS, CPU):
        cells = (_show(median_of(starts, step)) for starts in columns.values())
        lines.append(f"{step:<{WIDTH}}" + "".join(f"{cell:>{NUMBER_WIDTH}}" for cell in cells))
    return "\n".join(lines)


def _show(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"


def format_lines(starts: Sequence[Start]) -> Iterator[str]:
    """Yield the lines of output that every start printed, with the median of their seconds."""
    seen = [_first_times(start) for start in starts]
    for text in seen[0]:
        if all(text in each for each in seen):
            yield f"{median(each[text] for each in seen):>8.2f}  {text[:SHOWN]}"


def _first_times(start: Start) -> dict[str, float]:
    found: dict[str, float] = {}
    for seconds, line in start.lines:
        if text := simplify_line(line):
            found.setdefault(text, seconds)
    return found


def format_memory(processes: Sequence[ProcessMemory]) -> str:
    """Return a line for each process of the service, and one for all of PostgreSQL's."""
    lines = [f"{'memory in MB':<{WIDTH}}{'PSS':>8}{'USS':>8}{'RSS':>8}"]
    rows = [(each.name, each.memory) for each in processes if each.name != POSTGRES]
    rows.append(("all of these", add_memory(list(processes), postgres=False)))
    rows.append(("PostgreSQL", add_memory(list(processes), postgres=True)))
    lines += [f"{name:<{WIDTH}}{_megabytes(memory)}" for name, memory in rows]
    return "\n".join(lines)


def _megabytes(memory: Memory) -> str:
    sizes = (memory.pss, memory.uss, memory.rss)
    return "".join(f"{size / MEGABYTE:>8.1f}" for size in sizes)


def missed_bars(
    columns: Mapping[str, Sequence[Start]], processes: Sequence[ProcessMemory] | None
) -> Iterator[str]:
    """Yield every bar that was missed; memory has one only where it could be read."""
    for folder, bar in READY_BARS.items():
        ready = median_of(columns[folder], READY)
        if ready is None or ready >= bar:
            yield f"{folder}: ready after {_show(ready)} s, bar {bar:.1f}"
        words = median_of(columns[folder], FIRST_LINE)
        if words is None or words >= FIRST_LINE_BAR:
            yield f"{folder}: first words after {_show(words)} s, bar {FIRST_LINE_BAR:.1f}"
    if processes is not None:
        total = add_memory(list(processes), postgres=False).pss
        if total >= MEMORY_BAR:
            yield (
                f"{total / MEGABYTE:.0f} MB (PSS) without PostgreSQL, bar {MEMORY_BAR / MEGABYTE:.0f}"
            )

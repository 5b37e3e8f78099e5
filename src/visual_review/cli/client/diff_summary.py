"""Prints the result of ``visual-review diff``, and its progress on a terminal.

Without Rich, as importing Rich takes longer than comparing two images.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self, TextIO

import typer

from visual_review.client.comparing.outcomes import (
    STATES,
    Outcome,
    Results,
    State,
    count_states,
)
from visual_review.client.comparing.output_folder import PAGE
from visual_review.client.terminal import printable
from visual_review.imagediff.changes.grouping import Group

COLORS: Final[dict[State, str]] = {
    "failed": "\x1b[1;31m",
    "changed": "\x1b[33m",
    "new": "\x1b[32m",
    "removed": "\x1b[35m",
    "unchanged": "\x1b[2m",
}
RESET: Final = "\x1b[0m"
ERASE_LINE: Final = "\r\x1b[K"
HEADINGS: Final = ("state", "pixels", "share", "group", "image")
NAMED_REMAINDERS: Final = 5
# In seconds.
BETWEEN_UPDATES: Final = 0.1

Row = tuple[str, ...]


def print_table(results: Results, output: Path | None) -> None:
    """Print a line for each difference or failure, equal changes, counts, and the report's path."""
    shown = [outcome for outcome in results.outcomes if outcome.state != "unchanged"]
    colored = shows_colors(sys.stdout)
    alike = [group for group in results.groups if len(group.members) > 1]
    numbers = {name: str(at) for at, group in enumerate(alike, 1) for name in group.members}
    rows = [(*_cells(each), numbers.get(each.name, ""), _describe(each)) for each in shown]
    lines = _format_table(rows, colored=colored) if shown else []
    if alike:
        lines += [*(_format_group(at, group) for at, group in enumerate(alike, 1)), ""]
    counts = count_states(results.outcomes)
    lines.append(", ".join(f"{counts[state]} {state}" for state in STATES if counts[state]))
    if output is not None:
        lines.append(f"Report: {printable(str(output / PAGE))}")
    typer.echo("\n".join(lines))


def shows_colors(stream: TextIO) -> bool:
    """Return whether colors are wanted: on a terminal, or by FORCE_COLOR, not with NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class ProgressLine:
    """One line with count and rate; erased at the end, and nothing where no terminal is."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._shown = total > 1 and stream.isatty()
        self._started = time.monotonic()
        self._updated = self._started

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._write("")

    def update(self, done: int) -> None:
        now = time.monotonic()
        if self._shown and now - self._updated >= BETWEEN_UPDATES:
            self._updated = now
            self._write(describe_progress(done, self._total, now - self._started))

    def _write(self, text: str) -> None:
        self._stream.write(f"{ERASE_LINE}{text}")
        self._stream.flush()


def describe_progress(done: int, total: int, seconds: float) -> str:
    """Return count and rate of pairs, and how long the rest takes at this rate."""
    rate = done / seconds if seconds else 0.0
    text = f"Comparing: {done:,} of {total:,} pairs, {rate:,.0f} pairs/s"
    return f"{text}, {(total - done) / rate:,.0f} s left" if rate else text


def _format_table(rows: Sequence[Row], *, colored: bool) -> list[str]:
    columns = list(zip(HEADINGS, *rows, strict=True))
    # An empty column says nothing.
    used = [column for column in columns if any(column[1:])]
    widths = [max(map(len, column)) for column in used]
    head, *rows = zip(*used, strict=True)
    lines = [_format_row(head, widths)]
    for row in rows:
        line = _format_row(row, widths)
        if colored:
            state = row[0]
            color = COLORS[state]
            line = f"{color}{state}{RESET}{line[len(state) :]}"
        lines.append(line)
    return [*lines, ""]


def _format_row(row: Row, widths: Sequence[int]) -> str:
    state, *numbers, image = row
    cells = [f"{cell:>{width}}" for cell, width in zip(numbers, widths[1:], strict=False)]
    return "  ".join([f"{state:{widths[0]}}", *cells, image])


def _cells(outcome: Outcome) -> Row:
    verdict = outcome.verdict
    if verdict is None:
        return outcome.state, "", ""
    return outcome.state, f"{verdict.diff_pixels:,}", f"{verdict.diff_ratio:.4%}"


def _describe(outcome: Outcome) -> str:
    """Return the image's name, and the problem or the change."""
    name = printable(outcome.name)
    if outcome.message is not None:
        return f"{name}: {printable(outcome.message)}"
    if outcome.analysis is not None and outcome.analysis.summary:
        return f"{name}: {printable(outcome.analysis.summary)}"
    return name


def _format_group(number: int, group: Group) -> str:
    line = f"group {number}: {len(group.members)} alike: {printable(group.name)}"
    if not group.remainders:
        return line
    named = [printable(name) for name in group.remainders[:NAMED_REMAINDERS]]
    if more := len(group.remainders) - len(named):
        named.append(f"{more} more")
    return f"{line}; with more changes: {', '.join(named)}"

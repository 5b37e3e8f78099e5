"""``visual-review diff``: compares two images, or two folders of images, on this machine."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NoReturn, Self, TextIO

import typer

from visual_review.cli.client.output import print_json
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.client.comparing.comparison import Context, compare_pair
from visual_review.client.comparing.errors import InputError, OutputError
from visual_review.client.comparing.outcomes import (
    FAILED,
    STATES,
    Outcome,
    Results,
    State,
    count_states,
    exit_code,
    group_outcomes,
    make_document,
)
from visual_review.client.comparing.output_folder import PAGE, OutputFolder
from visual_review.client.comparing.pairs import Pair, find_pairs
from visual_review.client.comparing.report_page import make_page
from visual_review.client.comparing.settings import Settings, parse_fail_on, parse_ignored_area
from visual_review.client.comparing.threads import MemoryLimit, map_in_order, usable_memory
from visual_review.client.terminal import printable
from visual_review.imagediff import DEFAULT_OPTIONS, EngineError, engine
from visual_review.imagediff.changes.grouping import Group
from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT
from visual_review.imagediff.memory import keep_freed_memory
from visual_review.kernel.usable_cores import usable_cores

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
Before = Annotated[Path, typer.Argument(help="An image, or a folder of images.")]
After = Annotated[Path, typer.Argument(help="The image or folder to compare it with.")]
# Enough for the memory allocated at a time when comparing most screenshots.
KEPT_BYTES: Final = 32 * 1024 * 1024


# Prints the result of ``visual-review diff``, and its progress on a terminal.
#
# Without Rich, as importing Rich takes longer than comparing two images.


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


_what_counts = partial(typer.Option, rich_help_panel="What counts as a difference")
_output_option = partial(typer.Option, rich_help_panel="Output")
Threshold = Annotated[
    float, _what_counts(min=0, max=1, help="Largest color distance that counts as equal.")
]
IncludeAntiAliased = Annotated[
    bool,
    _what_counts(
        "--include-aa", "--include-anti-aliased", help="Count anti-aliased pixels as differences."
    ),
]
Ignore = Annotated[
    list[str] | None,
    _what_counts(
        metavar="X,Y,W,H", help="Area to ignore, in pixels or in percent (0,0,100%,5%). Repeatable."
    ),
]
MaxDiffPixels = Annotated[
    int, _what_counts(min=0, help="Pixels that may differ in an unchanged image.")
]
MaxDiffPixelRatio = Annotated[
    float, _what_counts(min=0, max=1, help="Share of pixels that may differ, from 0 to 1.")
]
Faint = Annotated[
    bool,
    _what_counts(
        "--faint/--no-faint", help="Count areas that differ by less than the threshold as a whole."
    ),
]
FailOn = Annotated[
    str,
    _output_option(
        metavar="STATES",
        help="States that make it exit with 1: changed,new,removed or some of them, or none.",
    ),
]
AsJson = Annotated[bool, _output_option("--json", help="Print one JSON document.")]
Output = Annotated[
    Path | None,
    _output_option(
        metavar="DIR", help="Folder for the report: index.html, differences, composites."
    ),
]
NoComposites = Annotated[
    bool,
    _output_option(
        "--no-composites", help="Write no composites, which take longer than comparing."
    ),
]
Jobs = Annotated[
    int, _output_option(min=0, help="Pairs to compare at the same time; 0 for one per core.")
]


def diff(  # noqa: PLR0913 - Each option is a parameter.
    before: Before,
    after: After,
    *,
    threshold: Threshold = DEFAULT_OPTIONS.threshold,
    include_anti_aliased: IncludeAntiAliased = False,
    ignore: Ignore = None,
    max_diff_pixels: MaxDiffPixels = 0,
    max_diff_pixel_ratio: MaxDiffPixelRatio = 0.0,
    faint: Faint = FAINT_COUNTS_BY_DEFAULT,
    fail_on: FailOn = "changed,new,removed",
    as_json: AsJson = False,
    output: Output = None,
    no_composites: NoComposites = False,
    jobs: Jobs = 0,
) -> None:
    """Compare two images, or two folders of them, and write a report.

    Reads PNG, JPEG and WebP; files in folders are paired by their relative paths. Exits with 0 if
    nothing differs, 1 if anything differs, 2 if anything could not be compared.
    """
    try:
        engine_name = engine().name
        settings = Settings(
            threshold,
            include_anti_aliased,
            tuple(map(parse_ignored_area, ignore or ())),
            max_diff_pixels,
            max_diff_pixel_ratio,
            faint,
        )
        failing = parse_fail_on(fail_on)
        threads = jobs or usable_cores()
        if output is None:
            context = Context(settings, None, MemoryLimit(usable_memory()))
            results = _compare(find_pairs(before, after), context, threads)
        else:
            folder = OutputFolder(output, composites=not no_composites)
            results = _compare_into(folder, (before, after), settings, threads)
    except (EngineError, InputError, OutputError) as error:
        _exit_with_error(str(error), FAILED)
    if as_json:
        prefix = "" if output is None else f"{output}{os.sep}"
        print_json(make_document(results, settings, engine_name, prefix))
    else:
        print_table(results, output)
    raise typer.Exit(exit_code(results.outcomes, failing))


def _compare_into(
    folder: OutputFolder, inputs: tuple[Path, Path], settings: Settings, threads: int
) -> Results:
    """Compare and write the report, or leave nothing of it. Raises InputError and OutputError."""
    folder.check_inputs(inputs)
    pairs = find_pairs(*inputs, left_out=os.path.realpath(folder.path))
    try:
        with interrupt_on_sigterm():
            folder.claim()
            context = Context(settings, folder, MemoryLimit(usable_memory()))
            results = _compare(pairs, context, threads)
            sheets = folder.write_sheets(results, context.memory, threads)
            results = replace(results, sheets=sheets)
            document = make_document(results, settings, engine().name)
            folder.complete(document, make_page(document, inputs, settings.describe()))
    except OutputError as error:
        raise OutputError(f"{error}{folder.discard()}") from error
    except KeyboardInterrupt:
        _exit_with_error(f"interrupted{folder.discard()}", INTERRUPTED)
    return results


def _compare(pairs: Sequence[Pair], context: Context, threads: int) -> Results:
    if len(pairs) > 1:
        keep_freed_memory(KEPT_BYTES)
    work = partial(compare_pair, context=context)
    with ProgressLine(sys.stderr, len(pairs)) as progress:
        outcomes = map_in_order(work, pairs, threads, progress.update)
    return Results(outcomes, group_outcomes(outcomes))


def _exit_with_error(message: str, code: int) -> NoReturn:
    typer.echo(f"visual-review diff: {printable(message)}", err=True)
    raise typer.Exit(code)

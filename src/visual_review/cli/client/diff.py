"""``visual-review diff``: compares two images, or two folders of images, on this machine."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from visual_review.cli.client.diff_summary import ProgressLine, print_table
from visual_review.cli.client.output import print_json
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.client.comparing.change_groups import group_outcomes
from visual_review.client.comparing.comparison import Context, compare_pair
from visual_review.client.comparing.errors import InputError, OutputError
from visual_review.client.comparing.memory_limit import MemoryLimit, usable_memory
from visual_review.client.comparing.outcomes import (
    FAILED,
    Results,
    exit_code,
    make_document,
)
from visual_review.client.comparing.output_folder import OutputFolder
from visual_review.client.comparing.pairs import Pair, find_pairs
from visual_review.client.comparing.report_page import make_page
from visual_review.client.comparing.settings import Settings, parse_fail_on, parse_ignored_area
from visual_review.client.comparing.threads import map_in_order
from visual_review.client.terminal import printable
from visual_review.imagediff import DEFAULT_OPTIONS, EngineError, engine
from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT
from visual_review.imagediff.memory import keep_freed_memory
from visual_review.kernel.usable_cores import usable_cores

WHAT: Final = "What counts as a difference"
OUTPUT: Final = "Output"
Before = Annotated[Path, typer.Argument(help="An image, or a folder of images.")]
After = Annotated[Path, typer.Argument(help="The image or folder to compare it with.")]
Threshold = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="Largest color distance that counts as equal.", rich_help_panel=WHAT
    ),
]
IncludeAntiAliased = Annotated[
    bool,
    typer.Option(
        "--include-aa",
        "--include-anti-aliased",
        help="Count anti-aliased pixels as differences.",
        rich_help_panel=WHAT,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        metavar="X,Y,W,H",
        help="Area to ignore, in pixels or in percent (0,0,100%,5%). Repeatable.",
        rich_help_panel=WHAT,
    ),
]
MaxDiffPixels = Annotated[
    int,
    typer.Option(min=0, help="Pixels that may differ in an unchanged image.", rich_help_panel=WHAT),
]
MaxDiffPixelRatio = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="Share of pixels that may differ, from 0 to 1.", rich_help_panel=WHAT
    ),
]
Faint = Annotated[
    bool,
    typer.Option(
        "--faint/--no-faint",
        help="Count areas that differ by less than the threshold as a whole.",
        rich_help_panel=WHAT,
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="STATES",
        help="States that make it exit with 1: changed,new,removed or some of them, or none.",
        rich_help_panel=OUTPUT,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)
]
Output = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for the report: index.html, differences, composites.",
        rich_help_panel=OUTPUT,
    ),
]
NoComposites = Annotated[
    bool,
    typer.Option(
        "--no-composites",
        help="Write no composites, which take longer than comparing.",
        rich_help_panel=OUTPUT,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=0, help="Pairs to compare at the same time; 0 for one per core.", rich_help_panel=OUTPUT
    ),
]
# Enough for the memory allocated at a time when comparing most screenshots.
KEPT_BYTES: Final = 32 * 1024 * 1024


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

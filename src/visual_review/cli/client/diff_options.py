"""The options of ``visual-review diff``, one type each."""

from pathlib import Path
from typing import Annotated, Final

import typer

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

"""The options of ``visual-review publish``, one type each."""

from pathlib import Path
from typing import Annotated, Final

import typer

URL_VARIABLE: Final = "VISUAL_REVIEW_URL"
TOKEN_VARIABLE: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.

WHAT: Final = "What is published"
HOW: Final = "How it is captured"
AFTER: Final = "After the upload"
DETECTED: Final = "Told by CI or git if left out."

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A built Storybook, or a folder of PNG files.")
]
Url = Annotated[str, typer.Option(envvar=URL_VARIABLE, help="Address of the server.")]
Token = Annotated[str, typer.Option(envvar=TOKEN_VARIABLE, help="Project token of the repository.")]
Product = Annotated[str, typer.Option(help="Key of the product.", rich_help_panel=WHAT)]
Branch = Annotated[str | None, typer.Option(help=DETECTED, rich_help_panel=WHAT)]
Commit = Annotated[str | None, typer.Option(help=DETECTED, rich_help_panel=WHAT)]
PullRequest = Annotated[
    int | None,
    typer.Option(min=0, help=f"{DETECTED} 0: it is none.", rich_help_panel=WHAT),
]
BaseBranch = Annotated[
    str | None,
    typer.Option(help=f"What the pull request targets. {DETECTED}", rich_help_panel=WHAT),
]
HeadRepository = Annotated[
    str | None,
    typer.Option(metavar="OWNER/REPO", help=f"Only for a fork. {DETECTED}", rich_help_panel=WHAT),
]
Message = Annotated[str | None, typer.Option(help=DETECTED, rich_help_panel=WHAT)]
Nonce = Annotated[
    str | None,
    typer.Option(
        help="Name of this run; the same name continues the same build.", rich_help_panel=WHAT
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(metavar="I/N", help="The part captured by this job.", rich_help_panel=WHAT),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial", "--only-changed", help="Capture only what changed.", rich_help_panel=HOW
    ),
]
Skip = Annotated[
    bool,
    typer.Option("--skip", help="Capture nothing: all is as before.", rich_help_panel=HOW),
]
ProjectRoot = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where the Storybook was built, if not here; for --partial.",
        rich_help_panel=HOW,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Browsers at once; one per core by default.", rich_help_panel=HOW),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST", help="Let stories ask this outside host; repeatable.", rich_help_panel=HOW
    ),
]
ThemeGlobal = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="The Storybook global that switches the theme.", rich_help_panel=HOW
    ),
]
ThemeValue = Annotated[
    list[str] | None,
    typer.Option(
        metavar="THEME=VALUE",
        help="Its value for a theme, such as dark=Night.",
        rich_help_panel=HOW,
    ),
]
Browser = Annotated[
    Path | None, typer.Option("--chromium", help="The browser to run.", rich_help_panel=HOW)
]
Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait for the verdict.", rich_help_panel=AFTER)
]
Timeout = Annotated[
    float, typer.Option(min=0, help="Seconds to wait for it.", rich_help_panel=AFTER)
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=AFTER)
]
ExitZero = Annotated[
    bool,
    typer.Option(
        "--exit-zero-on-changes", help="Exit with 0 if review is needed.", rich_help_panel=AFTER
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Capture, but send nothing.", rich_help_panel=AFTER)
]

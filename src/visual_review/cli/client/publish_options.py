"""The options of ``visual-review publish``, one type each."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

URL_VARIABLE: Final = "VISUAL_REVIEW_URL"
TOKEN_VARIABLE: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.

WHAT: Final = "What to publish"
HOW: Final = "How to capture"
NAMES: Final = "How to read the names of images"
AFTER: Final = "After the upload"
DETECTED: Final = "Default: detected from CI or git."

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A built Storybook, or a folder of images.")
]
Story = Annotated[
    str | None,
    typer.Argument(metavar="STORY", help="With --explain: ID of the story of a Storybook."),
]
Url = Annotated[str, typer.Option(envvar=URL_VARIABLE, help="URL of the server.")]
Token = Annotated[str, typer.Option(envvar=TOKEN_VARIABLE, help="Project token of the repository.")]
Product = Annotated[str, typer.Option(help="Key of the product.", rich_help_panel=WHAT)]
Branch = Annotated[
    str | None, typer.Option(help=f"Branch of the commit. {DETECTED}", rich_help_panel=WHAT)
]
Commit = Annotated[
    str | None, typer.Option(help=f"Hash of the commit. {DETECTED}", rich_help_panel=WHAT)
]
PullRequest = Annotated[
    int | None,
    typer.Option(
        min=0, help=f"Number of the pull request; 0 for none. {DETECTED}", rich_help_panel=WHAT
    ),
]
BaseBranch = Annotated[
    str | None,
    typer.Option(help=f"Base branch of the pull request. {DETECTED}", rich_help_panel=WHAT),
]
HeadRepository = Annotated[
    str | None,
    typer.Option(
        metavar="OWNER/REPO", help=f"Repository of the fork. {DETECTED}", rich_help_panel=WHAT
    ),
]
Message = Annotated[
    str | None, typer.Option(help=f"Subject of the commit. {DETECTED}", rich_help_panel=WHAT)
]
Reviewer = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Ask this member (name or email address) for a review; repeatable.",
        rich_help_panel=WHAT,
    ),
]
IncludeTag = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TAG",
        help="Capture only stories with this tag; repeatable.",
        rich_help_panel=WHAT,
    ),
]
ExcludeTag = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TAG",
        help="Capture no story with this tag; repeatable. Default: skip.",
        rich_help_panel=WHAT,
    ),
]
AcceptThemeChange = Annotated[
    bool,
    typer.Option(
        "--accept-theme-change",
        help="Publish even if themes are switched in another way than in the baseline's builds.",
        rich_help_panel=HOW,
    ),
]
Nonce = Annotated[
    str | None,
    typer.Option(
        help="Unique name of this run; the same name continues the same build.",
        rich_help_panel=WHAT,
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(metavar="I/N", help="Capture only part I of N in this job.", rich_help_panel=WHAT),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial",
        "--only-changed",
        help="Capture only stories whose sources changed.",
        rich_help_panel=HOW,
    ),
]
Skip = Annotated[
    bool,
    typer.Option(
        "--skip", help="Capture nothing; every story keeps its baseline.", rich_help_panel=HOW
    ),
]
ImagesOnly = Annotated[
    bool,
    typer.Option(
        "--images-only",
        help="Publish the images in DIR; never run what else is in it. For DIRs from other jobs.",
        rich_help_panel=HOW,
    ),
]
AsIs = Annotated[
    bool,
    typer.Option(
        "--as-is",
        help="Publish snapshot folders of tests without looking for the results of their run.",
        rich_help_panel=HOW,
    ),
]
Report = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Report of the run that the images are from: JSON or blob of Playwright, JSON of "
        "Vitest or Jest; repeatable for shards. Default: found from DIR upward.",
        rich_help_panel=HOW,
    ),
]
NamePattern = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help="A preset such as playwright, or a pattern such as '{story}-{theme}-{browser}'. "
        "Default: detected from the names.",
        rich_help_panel=NAMES,
    ),
]
FallbackTheme = Annotated[
    Literal["light", "dark"] | None,
    typer.Option(
        "--theme", help="Theme of images whose names say none (light).", rich_help_panel=NAMES
    ),
]
FallbackDevice = Annotated[
    Literal["phone", "tablet", "desktop"] | None,
    typer.Option(
        "--device", help="Device of images whose names say none (desktop).", rich_help_panel=NAMES
    ),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Send nothing; print why STORY is captured or not, or what each image's name means.",
        rich_help_panel=HOW,
    ),
]
ProjectRoot = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder the Storybook was built in, for --partial. Default: the current one.",
        rich_help_panel=HOW,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Number of open pages. Default: 1.5 per core.", rich_help_panel=HOW),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST",
        help="Allow requests to this external host; repeatable.",
        rich_help_panel=HOW,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Settings of the project. Default: visual-review.toml, found from DIR upward.",
        rich_help_panel=HOW,
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
        help="Value of that global for a theme, such as dark=Night; repeatable.",
        rich_help_panel=HOW,
    ),
]
Browser = Annotated[
    Path | None, typer.Option("--chromium", help="Path of the browser to use.", rich_help_panel=HOW)
]
RequireSandbox = Annotated[
    bool,
    typer.Option(
        "--require-sandbox",
        help="Fail if the browser cannot run in its sandbox.",
        rich_help_panel=HOW,
    ),
]
WithProfile = Annotated[
    bool,
    typer.Option(
        "--profile",
        help="Print the slowest stories and where their time went.",
        rich_help_panel=HOW,
    ),
]
Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait for the verdict.", rich_help_panel=AFTER)
]
Timeout = Annotated[
    float,
    typer.Option(min=0, help="Longest wait for the verdict, in seconds.", rich_help_panel=AFTER),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=AFTER)
]
ExitZero = Annotated[
    bool,
    typer.Option(
        "--exit-zero-on-changes",
        help="Exit with 0 even if review is needed.",
        rich_help_panel=AFTER,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Capture, but upload nothing.", rich_help_panel=AFTER)
]

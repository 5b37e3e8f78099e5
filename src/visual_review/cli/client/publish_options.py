"""The options of ``visual-review publish``, one type each."""

from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

URL_VARIABLE: Final = "VISUAL_REVIEW_URL"
TOKEN_VARIABLE: Final = "UI_REVIEW_TOKEN"  # noqa: S105 - The name of a variable.
DETECTED: Final = "Default: detected from CI or git."

_what_to_publish = partial(typer.Option, rich_help_panel="What to publish")
_how_to_capture = partial(typer.Option, rich_help_panel="How to capture")
_how_to_read_names = partial(typer.Option, rich_help_panel="How to read the names of images")
_after_the_upload = partial(typer.Option, rich_help_panel="After the upload")

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A built Storybook, or a folder of images.")
]
Story = Annotated[
    str | None,
    typer.Argument(metavar="STORY", help="With --explain: ID of the story of a Storybook."),
]
Url = Annotated[str, typer.Option(envvar=URL_VARIABLE, help="URL of the server.")]
Token = Annotated[str, typer.Option(envvar=TOKEN_VARIABLE, help="Project token of the repository.")]
Product = Annotated[str, _what_to_publish(help="Key of the product.")]
Branch = Annotated[str | None, _what_to_publish(help=f"Branch of the commit. {DETECTED}")]
Commit = Annotated[str | None, _what_to_publish(help=f"Hash of the commit. {DETECTED}")]
PullRequest = Annotated[
    int | None, _what_to_publish(min=0, help=f"Number of the pull request; 0 for none. {DETECTED}")
]
BaseBranch = Annotated[
    str | None, _what_to_publish(help=f"Base branch of the pull request. {DETECTED}")
]
HeadRepository = Annotated[
    str | None, _what_to_publish(metavar="OWNER/REPO", help=f"Repository of the fork. {DETECTED}")
]
Message = Annotated[str | None, _what_to_publish(help=f"Subject of the commit. {DETECTED}")]
Reviewer = Annotated[
    list[str] | None,
    _what_to_publish(
        metavar="NAME", help="Ask this member (name or email address) for a review; repeatable."
    ),
]
IncludeTag = Annotated[
    list[str] | None,
    _what_to_publish(metavar="TAG", help="Capture only stories with this tag; repeatable."),
]
ExcludeTag = Annotated[
    list[str] | None,
    _what_to_publish(
        metavar="TAG", help="Capture no story with this tag; repeatable. Default: skip."
    ),
]
AcceptThemeChange = Annotated[
    bool,
    _how_to_capture(
        "--accept-theme-change",
        help="Publish even if themes are switched in another way than in the baseline's builds.",
    ),
]
Nonce = Annotated[
    str | None,
    _what_to_publish(help="Unique name of this run; the same name continues the same build."),
]
Shard = Annotated[
    str | None, _what_to_publish(metavar="I/N", help="Capture only part I of N in this job.")
]
Partial = Annotated[
    bool,
    _how_to_capture(
        "--partial", "--only-changed", help="Capture only stories whose sources changed."
    ),
]
Skip = Annotated[
    bool, _how_to_capture("--skip", help="Capture nothing; every story keeps its baseline.")
]
ImagesOnly = Annotated[
    bool,
    _how_to_capture(
        "--images-only",
        help="Publish the images in DIR; never run what else is in it. For DIRs from other jobs.",
    ),
]
AsIs = Annotated[
    bool,
    _how_to_capture(
        "--as-is",
        help="Publish snapshot folders of tests without looking for the results of their run.",
    ),
]
Report = Annotated[
    list[Path] | None,
    _how_to_capture(
        metavar="FILE",
        help="Report of the run that the images are from: JSON or blob of Playwright, JSON of "
        "Vitest or Jest; repeatable for shards. Default: found from DIR upward.",
    ),
]
NamePattern = Annotated[
    str | None,
    _how_to_read_names(
        metavar="PATTERN",
        help="A preset such as playwright, or a pattern such as '{story}-{theme}-{browser}'. "
        "Default: detected from the names.",
    ),
]
FallbackTheme = Annotated[
    Literal["light", "dark"] | None,
    _how_to_read_names("--theme", help="Theme of images whose names say none (light)."),
]
FallbackDevice = Annotated[
    Literal["phone", "tablet", "desktop"] | None,
    _how_to_read_names("--device", help="Device of images whose names say none (desktop)."),
]
Explain = Annotated[
    bool,
    _how_to_capture(
        "--explain",
        help="Send nothing; print why STORY is captured or not, or what each image's name means.",
    ),
]
ProjectRoot = Annotated[
    Path | None,
    _how_to_capture(
        metavar="DIR",
        help="Folder the Storybook was built in, for --partial. Default: the current one.",
    ),
]
Workers = Annotated[
    int | None, _how_to_capture(min=1, help="Number of open pages. Default: 1.5 per core.")
]
AllowHost = Annotated[
    list[str] | None,
    _how_to_capture(metavar="HOST", help="Allow requests to this external host; repeatable."),
]
Config = Annotated[
    Path | None,
    _how_to_capture(
        metavar="FILE",
        help="Settings of the project. Default: visual-review.toml, found from DIR upward.",
    ),
]
ThemeGlobal = Annotated[
    str, _how_to_capture(metavar="NAME", help="The Storybook global that switches the theme.")
]
ThemeValue = Annotated[
    list[str] | None,
    _how_to_capture(
        metavar="THEME=VALUE",
        help="Value of that global for a theme, such as dark=Night; repeatable.",
    ),
]
Browser = Annotated[Path | None, _how_to_capture("--chromium", help="Path of the browser to use.")]
RequireSandbox = Annotated[
    bool,
    _how_to_capture("--require-sandbox", help="Fail if the browser cannot run in its sandbox."),
]
WithProfile = Annotated[
    bool, _how_to_capture("--profile", help="Print the slowest stories and where their time went.")
]
Wait = Annotated[bool, _after_the_upload("--wait/--no-wait", help="Wait for the verdict.")]
Timeout = Annotated[
    float, _after_the_upload(min=0, help="Longest wait for the verdict, in seconds.")
]
Json = Annotated[bool, _after_the_upload("--json", help="Print one JSON document.")]
ExitZero = Annotated[
    bool, _after_the_upload("--exit-zero-on-changes", help="Exit with 0 even if review is needed.")
]
DryRun = Annotated[bool, _after_the_upload("--dry-run", help="Capture, but upload nothing.")]

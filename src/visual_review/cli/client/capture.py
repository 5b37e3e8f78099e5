"""``visual-review capture``: writes the images of a built Storybook into a folder."""

import json
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from visual_review.client.capture import (
    ALL_VARIANTS,
    DEVICES,
    THEMES,
    CaptureError,
    CaptureReport,
    CaptureSettings,
    Shot,
    Story,
    Theme,
    Variant,
    capture,
    file_name,
    read_stories,
)
from visual_review.client.terminal import printable

ALL_CAPTURED: Final = 0
STORIES_FAILED: Final = 1
COULD_NOT_RUN: Final = 2
# Logs of CI are read by people: one line now and then tells that it goes on.
LINE_EVERY: Final = 50
# Messages of stories have lines, and a line break steers nothing.
LINE_BREAK: Final = "\n"


class ChoiceError(Exception):
    """An option names something that does not exist; the message lists what does."""


Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder that `storybook build` wrote.")
]
Output = Annotated[Path, typer.Option(help="Write the images here.")]
Themes = Annotated[
    list[str] | None, typer.Option(help="light or dark; repeatable, both by default.")
]
Devices = Annotated[
    list[str] | None, typer.Option(help="phone, tablet or desktop; repeatable, all by default.")
]
Globs = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Only stories whose id matches; repeatable."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Browsers at once; one per core by default.")
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST", help="Let stories ask this outside host; repeatable."),
]
ThemeGlobal = Annotated[
    str, typer.Option(metavar="NAME", help="The Storybook global that switches the theme.")
]
ThemeValues = Annotated[
    list[str] | None,
    typer.Option(metavar="THEME=VALUE", help="Its value for a theme, such as dark=Night."),
]
Browser = Annotated[Path | None, typer.Option(help="The browser to run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def capture_command(  # noqa: PLR0913 -- Each option of the command is a parameter.
    folder: Folder,
    *,
    output: Output = Path("screenshots"),
    theme: Themes = None,
    device: Devices = None,
    story: Globs = None,
    workers: Workers = None,
    allow_host: Hosts = None,
    theme_global: ThemeGlobal = "theme",
    theme_value: ThemeValues = None,
    chromium: Browser = None,
    as_json: AsJson = False,
) -> None:
    """Capture the stories of a built Storybook as PNG files.

    Exits with 0 if every story was captured, 1 if some stories failed (their messages are
    printed, all others are written), 2 if nothing could run.
    """
    settings = CaptureSettings(
        chromium=chromium, allow_hosts=tuple(allow_host or ()), theme_global=theme_global
    )
    # Left out, the settings' own default counts the cores of the machine it runs on.
    if workers:
        settings = replace(settings, workers=workers)
    try:
        settings = replace(settings, theme_values=theme_values(theme_value or []))
        variants = chosen_variants(theme or [], device or [])
        stories = chosen_stories(read_stories(folder), story or [])
        output.mkdir(parents=True, exist_ok=True)
        with _Progress(len(stories) * len(variants), quiet=as_json) as progress:
            log = _Log(output, progress.show)
            report = capture(folder, variants, stories, settings, log.take)
    except (CaptureError, ChoiceError, OSError) as error:
        _fail(error)
    if as_json:
        typer.echo(json.dumps(as_document(report, log.images), indent=2))
    else:
        typer.echo(summary(report, output))
    raise typer.Exit(STORIES_FAILED if report.failed else ALL_CAPTURED)


def chosen_variants(themes: list[str], devices: list[str]) -> list[Variant]:
    """Variants with one of ``themes`` and one of ``devices``; an empty list means all."""
    for given, known, what in ((themes, THEMES, "theme"), (devices, DEVICES, "device")):
        for name in given:
            if name not in known:
                raise ChoiceError(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    return [
        variant
        for variant in ALL_VARIANTS
        if (not themes or variant.theme in themes) and (not devices or variant.device in devices)
    ]


def chosen_stories(stories: list[Story], globs: list[str]) -> list[Story]:
    """Stories whose id matches one of ``globs``; all without globs."""
    if not stories:
        raise ChoiceError("the Storybook has no stories")
    chosen = [
        story
        for story in stories
        if not globs or any(fnmatchcase(story.id, pattern) for pattern in globs)
    ]
    if not chosen:
        raise ChoiceError(f"none of the {len(stories)} stories matches {' or '.join(globs)}")
    return chosen


def theme_values(given: list[str]) -> dict[Theme, str]:
    """Values by theme out of texts such as ``dark=Night``."""
    values: dict[Theme, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        theme = next((theme for theme in THEMES if theme == name), None)
        if theme is None or not separator or not value:
            raise ChoiceError(f"{text!r} is no theme value; write light=VALUE or dark=VALUE")
        values[theme] = value
    return values


def as_document(report: CaptureReport, images: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON document of ``--json``, its images sorted by story and variant."""
    renderer = report.renderer
    return {
        "captured": report.shots_ok,
        "failed": report.failed,
        "skipped": report.skipped,
        "renderer": {
            "browser": renderer.browser,
            "version": renderer.version,
            "flags": list(renderer.flags),
        },
        "images": sorted(
            # Images come in no fixed order, and two runs should print the same document.
            images,
            key=lambda image: (image["storyId"], image["theme"], image["device"]),
        ),
    }


def summary(report: CaptureReport, output: Path) -> str:
    parts = [f"{report.shots_ok} captured", f"{report.failed} failed"]
    if report.skipped:
        parts.append(f"{report.skipped} skipped by their stories")
    return f"{', '.join(parts)}. Images are in {output}."


class _Log:
    """Writes each image as it comes and keeps only what there is to say about it."""

    def __init__(self, output: Path, show: Callable[[Shot], None]) -> None:
        self.images: list[dict[str, Any]] = []
        self._output = output
        self._show = show

    def take(self, shot: Shot) -> None:
        name = None
        if shot.png is not None:
            name = file_name(shot.story.id, shot.variant)
            # Written at once, so that thousands of images never lie in memory.
            (self._output / name).write_bytes(shot.png)
        self.images.append(
            {
                "storyId": shot.story.id,
                "theme": shot.variant.theme,
                "device": shot.variant.device,
                "file": name,
                "width": shot.width,
                "height": shot.height,
                "error": shot.error,
                "unstable": shot.unstable,
                "note": shot.note,
            }
        )
        self._show(shot)


class _Progress:
    """A bar on a terminal, plain lines elsewhere; what went wrong is a line in both."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        # Progress goes to the error output: the other one is for the document or the summary.
        self._console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        self._lines = not quiet and not self._console.is_terminal
        self._done = 0
        self._total = total
        self._bar = Progress(
            TextColumn("Capturing"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, shot: Shot) -> None:
        self._done += 1
        self._bar.advance(self._task)
        for label, text in (
            ("failed", shot.error),
            ("unstable", shot.unstable),
            ("note", shot.note),
        ):
            if text is not None:
                where = f"{shot.story.id} {shot.variant}"
                self._console.print(printable(f"{label}: {where}: {text}", LINE_BREAK))
        if self._lines and (self._done % LINE_EVERY == 0 or self._done == self._total):
            self._console.print(f"{self._done} of {self._total}")


def _fail(error: Exception) -> NoReturn:
    typer.echo(printable(f"visual-review capture: {error}", LINE_BREAK), err=True)
    raise typer.Exit(COULD_NOT_RUN) from error

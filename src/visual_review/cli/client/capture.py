"""``visual-review capture``: writes the images of a built Storybook into a folder."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, Self

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from visual_review.cli.client.capture_choices import (
    ChoiceError,
    parse_hosts,
    parse_theme_values,
    select_stories,
    select_variants,
)
from visual_review.cli.client.console import (
    is_interactive,
    make_console,
    print_line,
    print_lines,
)
from visual_review.cli.client.json_output import print_json
from visual_review.cli.client.project_configuration import load_configuration
from visual_review.cli.client.termination import interrupt_on_sigterm
from visual_review.cli.client.timing import RateColumn, TimeLeftColumn, format_duration
from visual_review.client.capture import (
    CaptureError,
    CaptureReport,
    CaptureSettings,
    Shot,
    file_name,
    read_renderer,
    read_stories,
    source_hashes,
)
from visual_review.client.capture.manifest import Captured, describe_shot
from visual_review.client.capture.notes import describe
from visual_review.client.capture.output_folder import OutputFolder
from visual_review.client.capture.profile import Profile
from visual_review.client.capture.run import capture

ALL_CAPTURED: Final = 0
STORIES_FAILED: Final = 1
COULD_NOT_RUN: Final = 2
# People read CI logs: one line now and then shows that the job is still running.
LINE_EVERY: Final = 50

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder written by `storybook build`.")
]
Output = Annotated[Path, typer.Option(help="Folder to write the images to.")]
Themes = Annotated[list[str] | None, typer.Option(help="light or dark; repeatable. Default: both.")]
Devices = Annotated[
    list[str] | None, typer.Option(help="phone, tablet or desktop; repeatable. Default: all.")
]
Globs = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Capture only stories whose ID matches; repeatable."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Number of parallel browsers. Default: one per core.")
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST", help="Allow requests to this external host; repeatable."),
]
ThemeGlobal = Annotated[
    str, typer.Option(metavar="NAME", help="The Storybook global that switches the theme.")
]
ThemeValues = Annotated[
    list[str] | None,
    typer.Option(
        metavar="THEME=VALUE",
        help="Value of that global for a theme, such as dark=Night; repeatable.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Settings of the project. Default: visual-review.toml, found from DIR upward.",
    ),
]
Browser = Annotated[Path | None, typer.Option(help="Path of the browser to use.")]
ProjectRoot = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder the Storybook was built in, for publishing later. Default: the current one.",
    ),
]
RequireSandbox = Annotated[
    bool,
    typer.Option("--require-sandbox", help="Fail if the browser cannot run in its sandbox."),
]
WithProfile = Annotated[
    bool, typer.Option("--profile", help="Print the slowest stories and where their time went.")
]
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
    config: Config = None,
    theme_global: ThemeGlobal = "theme",
    theme_value: ThemeValues = None,
    chromium: Browser = None,
    project_root: ProjectRoot = None,
    require_sandbox: RequireSandbox = False,
    profile: WithProfile = False,
    as_json: AsJson = False,
) -> None:
    """Capture the stories of a built Storybook as PNG files.

    Exits with 0 if every story was captured, 1 if some stories failed (their errors are printed,
    all other images are written), 2 if the capture could not run.
    """
    settings = CaptureSettings(
        chromium=chromium, require_sandbox=require_sandbox, theme_global=theme_global
    )
    try:
        settings = replace(
            settings,
            allow_hosts=parse_hosts(allow_host or []),
            theme_values=parse_theme_values(theme_value or []),
            # Without the option, the default of the settings applies: one for each core.
            workers=workers or settings.workers,
        )
        configuration = load_configuration(folder, config).capture
        settings = configuration.apply(settings)
        variants = select_variants(
            theme or [*configuration.themes], device or [*configuration.devices]
        )
        stories = select_stories(read_stories(folder), story or [])
        with (
            interrupt_on_sigterm(),
            OutputFolder(output) as images,
            _Progress(len(stories) * len(variants), quiet=as_json) as progress,
        ):
            sources = source_hashes(folder, project_root, read_renderer(settings))
            log = _Log(images, sources.hashes or {}, progress.show)
            report = capture(folder, variants, stories, settings, log.add)
            images.complete(report, log.shots)
    except (CaptureError, ChoiceError, OSError) as error:
        _exit_with_error(error)
    for notice in report.notices:
        _print_note(notice)
    if not report.sandbox.active:
        _print_note(f"The browser ran {report.sandbox.describe()}")
    if as_json:
        print_json(make_json_document(report, log.images))
    else:
        print_line(make_console(), format_summary(report, output, log.seconds()))
    if profile:
        # To stderr, like everything that is not the result.
        for line in log.profile.lines():
            print_line(make_console(stderr=True), line)
    raise typer.Exit(STORIES_FAILED if report.failed else ALL_CAPTURED)


def make_json_document(report: CaptureReport, images: list[dict[str, Any]]) -> dict[str, Any]:
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
        "themes": None if report.themes is None else report.themes.to_json(),
        "images": sorted(
            # Images arrive in any order, but two runs should print the same document.
            images,
            key=lambda image: (image["storyId"], image["theme"], image["device"]),
        ),
    }


def format_summary(report: CaptureReport, output: Path, seconds: float) -> str:
    parts = [f"{report.shots_ok} captured", f"{report.failed} failed"]
    if report.skipped:
        parts.append(f"{report.skipped} skipped by their stories")
    took = format_duration(seconds)
    return f"{', '.join(parts)}, took {took}. Images are in {output}."


class _Log:
    """Writes each image when it arrives and keeps only its metadata."""

    def __init__(
        self, output: OutputFolder, hashes: Mapping[str, str], show: Callable[[Shot], None]
    ) -> None:
        self.images: list[dict[str, Any]] = []
        self.shots: list[Captured] = []
        self.profile = Profile()
        self._output = output
        self._hashes = hashes
        self._show = show
        self._started = time.monotonic()

    def seconds(self) -> float:
        """Return the time since the capture began."""
        return time.monotonic() - self._started

    def add(self, shot: Shot) -> None:
        name = None
        if shot.png is not None:
            name = file_name(shot.story.id, shot.variant)
            # Written immediately, so that thousands of images never have to fit in memory.
            self._output.write(name, shot.png)
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
                "notes": [describe(note) for note in shot.notes],
            }
        )
        self.profile.add(f"{shot.story.id} {shot.variant}", shot.times)
        self.shots.append(describe_shot(shot, self._hashes.get(shot.story.id, "")))
        self._show(shot)


class _Progress:
    """A progress bar on a terminal, plain lines elsewhere; problems are lines in both."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        # Progress goes to stderr: stdout is for the JSON document or the summary.
        self._console = make_console(stderr=True)
        self._lines = not quiet and not is_interactive(self._console)
        self._done = 0
        self._total = total
        self._bar = Progress(
            TextColumn("Capturing"),
            BarColumn(),
            MofNCompleteColumn(),
            RateColumn(),
            TimeLeftColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not is_interactive(self._console),
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
            *(("note", describe(note)) for note in shot.notes),
        ):
            if text is not None:
                where = f"{shot.story.id} {shot.variant}"
                print_lines(self._console, f"{label}: {where}: {text}")
        if self._lines and (self._done % LINE_EVERY == 0 or self._done == self._total):
            self._console.print(f"{self._done} of {self._total}")


def _print_note(text: str) -> None:
    print_line(make_console(stderr=True), f"note: {text}")


def _exit_with_error(error: Exception) -> NoReturn:
    print_lines(make_console(stderr=True), f"visual-review capture: {error}")
    raise typer.Exit(COULD_NOT_RUN) from error

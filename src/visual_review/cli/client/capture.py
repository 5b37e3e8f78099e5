"""``visual-review capture``: writes the images of a built Storybook into a folder."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from visual_review.cli.client.capture_choices import (
    ChoiceError,
    load_configuration,
    make_tag_filter,
    parse_hosts,
    parse_theme_values,
    select_stories,
    select_variants,
)
from visual_review.cli.client.capture_log import CaptureLog, CaptureProgress, print_profile
from visual_review.cli.client.console import format_duration, make_console, print_line, print_lines
from visual_review.cli.client.output import print_json
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.client.capture import (
    CaptureError,
    CaptureReport,
    CaptureSettings,
    Fingerprint,
    Shot,
    SourceHashes,
    hash_renderer,
    read_stories,
    source_hashes,
)
from visual_review.client.capture.notes import (
    NoteText,
    count_kinds,
    count_refused_hosts,
    summarize_notes,
)
from visual_review.client.capture.output_folder import OutputFolder
from visual_review.client.capture.results import pages_for
from visual_review.client.capture.run import capture
from visual_review.client.capture.sources import digest_preview
from visual_review.kernel.usable_cores import usable_cores

ALL_CAPTURED: Final = 0
STORIES_FAILED: Final = 1
COULD_NOT_RUN: Final = 2

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
IncludeTag = Annotated[
    list[str] | None,
    typer.Option(metavar="TAG", help="Capture only stories with this tag; repeatable."),
]
ExcludeTag = Annotated[
    list[str] | None,
    typer.Option(metavar="TAG", help="Capture no story with this tag; repeatable. Default: skip."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Number of open pages. Default: 1.5 per core.")
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
    include_tag: IncludeTag = None,
    exclude_tag: ExcludeTag = None,
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
    all other images are written), 2 if the capture could not run, 130 if it was interrupted.
    """
    try:
        configuration = load_configuration(folder, config).capture
        settings = configuration.apply(
            CaptureSettings(
                workers=workers or pages_for(usable_cores()),
                chromium=chromium,
                require_sandbox=require_sandbox,
                allow_hosts=parse_hosts(allow_host or []),
                theme_global=theme_global,
                theme_values=parse_theme_values(theme_value or []),
            )
        )
        variants = select_variants(theme or configuration.themes, device or configuration.devices)
        tags = make_tag_filter(include_tag, exclude_tag)
        stories = select_stories(read_stories(folder), story or [], tags, _print_note)
        sources, settings = _read_sources(folder, project_root, settings)
        with CaptureProgress(len(stories) * len(variants), quiet=as_json) as progress:
            run = partial(capture, folder, variants, stories, settings)
            hashes = sources.fingerprints(stories, hash_renderer(settings))
            report, log = _capture_into(output, hashes, progress, run)
    except (CaptureError, ChoiceError, OSError) as error:
        _exit_with_error(error)
    _print_report(report, output, log, as_json=as_json, profile=profile)
    raise typer.Exit(STORIES_FAILED if report.failed else ALL_CAPTURED)


def _read_sources(
    folder: Path, root: Path | None, settings: CaptureSettings
) -> tuple[SourceHashes, CaptureSettings]:
    """Return the hashes of the sources, and the settings with the preview's hash."""
    sources = source_hashes(folder, root)
    return sources, settings.with_preview(digest_preview(sources))


def _capture_into(
    output: Path,
    hashes: Mapping[str, Fingerprint],
    progress: CaptureProgress,
    run: Callable[[Callable[[Shot], None]], CaptureReport],
) -> tuple[CaptureReport, CaptureLog]:
    with interrupt_on_sigterm(), OutputFolder(output) as images:
        log = CaptureLog(images, hashes, progress.show)
        try:
            report = run(log.add)
        except KeyboardInterrupt:
            done = f"Interrupted: the {len(log.images)} screenshots so far were discarded"
            _print_note(f"{done}, and {output} is as it was before.")
            raise typer.Exit(INTERRUPTED) from None
        log.finish()
        images.complete(report, log.shots)
    return report, log


def _print_report(
    report: CaptureReport, output: Path, log: CaptureLog, *, as_json: bool, profile: bool
) -> None:
    for notice in report.notices:
        _print_note(notice)
    if not report.sandbox.active:
        _print_note(f"The browser ran {report.sandbox.describe()}")
    if not as_json:
        for line in summarize_notes(log.shots):
            _print_note(line)
    if as_json:
        print_json(make_json_document(report, log.images))
    else:
        print_line(make_console(), format_summary(report, output, log.seconds()))
    if profile:
        print_profile(log.profile)


def make_json_document(report: CaptureReport, images: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON document of ``--json``, with images sorted by story and variant."""
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
        "notices": list(report.notices),
        "noteCounts": count_kinds(note["kind"] for image in images for note in image["notes"]),
        "refusedHosts": count_refused_hosts(
            (image["storyId"], [NoteText(**note) for note in image["notes"]]) for image in images
        ),
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


def _print_note(text: str) -> None:
    print_line(make_console(stderr=True), f"note: {text}")


def _exit_with_error(error: Exception) -> NoReturn:
    print_lines(make_console(stderr=True), f"visual-review capture: {error}")
    raise typer.Exit(COULD_NOT_RUN) from error

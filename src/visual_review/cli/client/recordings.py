"""``visual-review recordings``: uploads the videos of a test run, with data of the report."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.output import print_json
from visual_review.cli.client.termination import INTERRUPTED, interrupt_on_sigterm
from visual_review.cli.client.uploading import (
    FAILED,
    find_credential,
    make_reporter,
    make_retry_reporter,
    report_errors,
    require_url,
)
from visual_review.client.ci import Checkout, Overrides, read_facts
from visual_review.client.progress import Reporter
from visual_review.client.recordings.found_videos import MEGABYTE, FoundVideos, Video, select_videos
from visual_review.client.recordings.report_formats import find_videos
from visual_review.client.recordings.upload import (
    RecordingService,
    UploadResult,
    upload_all,
    wait_for_all,
)
from visual_review.client.recordings.upload_files import Origin

UPLOADED: Final = 0

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of the videos, such as test-results.")
]
Reports = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", help="Report: JSON of Playwright or mochawesome, or JUnit XML; repeatable."
    ),
]
OnlyFailed = Annotated[
    bool, typer.Option("--only-failed", help="Skip tests that passed or were skipped.")
]
Attachments = Annotated[
    bool, typer.Option("--attachments/--no-attachments", help="Also upload traces and screenshots.")
]
LargestAttachment = Annotated[
    int, typer.Option(metavar="MB", min=0, help="Skip attachments larger than this.")
]
Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait until the recordings are ready.")
]
Timeout = Annotated[float, typer.Option(min=0, help="Longest wait, in seconds.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what was found, but upload nothing.")
]
SHOWN: Final = 50


def recordings_command(  # noqa: PLR0913 - Each is an option of the command.
    folder: Folder = Path("test-results"),
    *,
    report: Reports = None,
    url: options.Url = "",
    token: options.Token = "",
    product: options.Product = "default",
    branch: options.Branch = None,
    commit: options.Commit = None,
    pull_request: options.PullRequest = None,
    head_repository: options.HeadRepository = None,
    only_failed: OnlyFailed = False,
    attachments: Attachments = True,
    largest_attachment: LargestAttachment = 100,
    wait: Wait = False,
    timeout: Timeout = 600,
    as_json: options.Json = False,
    dry_run: DryRun = False,
) -> None:
    """Upload the videos of a test run, with the tests, steps and errors from its report.

    Running it again uploads only what is missing. Exits with 0 if everything was uploaded or
    there was nothing to upload, and with 2 if anything failed.
    """
    with report_errors("recordings", as_json=as_json):
        log = make_console(stderr=as_json)
        reporter = make_reporter(log)
        largest = largest_attachment * MEGABYTE if attachments else 0
        found = select_videos(
            find_videos(folder, report or []), only_failed=only_failed, largest=largest
        )
        for note in found.notes:
            reporter.note(note)
        if dry_run or not found.videos:
            _print_found(found, folder, as_json=as_json)
            raise typer.Exit(UPLOADED)
        flags = Overrides(branch, commit, pull_request, head_repository=head_repository)
        origin = Origin(read_facts(os.environ, Checkout(Path.cwd()), flags), product)
        base_url = require_url(url)
        service = RecordingService(
            base_url, find_credential(token, base_url), on_retry=make_retry_reporter(reporter)
        )
        results = _upload(service, found, origin, reporter, timeout if wait else None)
        if as_json:
            print_json(make_json_document(results))
        else:
            print_summary(results, make_console(stderr=False))
    raise typer.Exit(FAILED if any(result.failed for result in results) else UPLOADED)


def _print_found(found: FoundVideos, folder: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(make_dry_run_document(found))
    else:
        print_found(found, folder, make_console(stderr=False))


def _upload(
    service: RecordingService,
    found: FoundVideos,
    origin: Origin,
    reporter: Reporter,
    wait_seconds: float | None,
) -> list[UploadResult]:
    facts = origin.facts
    reporter.note(
        f"Uploading {len(found.videos)} recordings of {facts.branch} at {facts.commit[:12]} "
        f"[{facts.provider}]"
    )
    try:
        with interrupt_on_sigterm(), service:
            results = upload_all(service, found.videos, origin, reporter)
            if wait_seconds is None:
                return results
            return wait_for_all(service, results, wait_seconds, reporter)
    except KeyboardInterrupt:
        reporter.end()
        print_line(
            make_console(stderr=True), "Interrupted. Run the same command again to upload the rest."
        )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        reporter.end()


def print_summary(results: Sequence[UploadResult], out: Console) -> None:
    """Print failed uploads first, then the videos of tests that did not pass."""
    ordered = sorted(results, key=lambda result: (not result.failed, result.video.is_harmless))
    for result in ordered[:SHOWN]:
        for line in _format_lines(result):
            print_line(out, line)
    if len(ordered) > SHOWN:
        print_line(out, f"and {len(ordered) - SHOWN} more")
    print_line(out, format_headline(results))


def format_headline(results: Sequence[UploadResult]) -> str:
    failed = sum(1 for result in results if result.failed)
    before = sum(1 for result in results if result.known_before and not result.failed)
    parts = [f"{len(results) - failed - before} uploaded"]
    if before:
        parts.append(f"{before} uploaded before")
    if failed:
        parts.append(f"{failed} failed")
    return f"Recordings: {', '.join(parts)}."


def _format_lines(result: UploadResult) -> Iterable[str]:
    yield f"{'failed' if result.failed else 'ok':8}{describe_video(result.video)}"
    if result.reason:
        yield f"{'':8}{result.reason}"
    if result.state:
        yield f"{'':8}{result.state.url}"


def describe_video(video: Video) -> str:
    """Return the title, and in parentheses the difference to other attempts of the same test."""
    details = [video.project, video.outcome.replace("_", " ")]
    details.append(f"retry {video.retry}" if video.retry else "")
    suffix = ", ".join(filter(None, details))
    return f"{video.title} ({suffix})" if suffix else video.title


def print_found(found: FoundVideos, folder: Path, out: Console) -> None:
    if not found.videos:
        print_line(out, f"Nothing to upload: {folder} has no videos that match the options.")
        return
    for video in found.videos:
        more = f", {len(video.attachments)} attachments" if video.attachments else ""
        print_line(out, f"{describe_video(video)}: {video.path}, {len(video.steps)} steps{more}")
    print_line(out, f"Recordings: {len(found.videos)} found, nothing was uploaded.")


def make_json_document(results: Sequence[UploadResult]) -> dict[str, Any]:
    """Return the document of ``--json``."""
    verdict = "failed" if any(result.failed for result in results) else "uploaded"
    return {"verdict": verdict, "recordings": [_result_fields(result) for result in results]}


def make_dry_run_document(found: FoundVideos) -> dict[str, Any]:
    verdict = "dry_run" if found.videos else "nothing_to_upload"
    return {"verdict": verdict, "recordings": [_video_fields(video) for video in found.videos]}


def _result_fields(result: UploadResult) -> dict[str, Any]:
    state = result.state
    return {
        **_video_fields(result.video),
        "id": state.id if state else None,
        "status": state.status if state else None,
        "url": state.url if state else None,
        "knownBefore": result.known_before,
        "error": result.reason or None,
    }


def _video_fields(video: Video) -> dict[str, Any]:
    return {
        "file": str(video.path),
        "title": video.title,
        "project": video.project,
        "outcome": video.outcome or None,
        "retry": video.retry,
        "steps": len(video.steps),
        "attachments": len(video.attachments),
    }

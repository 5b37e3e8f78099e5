"""``visual-review recordings``: uploads the videos of a test run, with data of the report."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.output import print_json
from visual_review.cli.client.recordings_summary import (
    make_dry_run_document,
    make_json_document,
    print_found,
    print_summary,
)
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
from visual_review.client.recordings.api import RecordingService
from visual_review.client.recordings.found_videos import MEGABYTE, FoundVideos, select_videos
from visual_review.client.recordings.report_formats import find_videos
from visual_review.client.recordings.upload import UploadResult, upload_all, wait_for_all
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

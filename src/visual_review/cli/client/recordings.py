"""``visual-review recordings``: uploads the videos of a test run, with what its report tells."""

import json
import os
from pathlib import Path
from typing import Annotated, Final

import typer

from visual_review.cli.client import publish_options as options
from visual_review.cli.client.console import console, say
from visual_review.cli.client.recordings_summary import (
    document,
    dry_document,
    print_found,
    print_summary,
)
from visual_review.cli.client.uploading import (
    FAILED,
    INTERRUPTED,
    checked_url,
    credential_for,
    ended_like_ctrl_c,
    handled_failures,
    reporter_on,
    reporting_retries,
)
from visual_review.client.ci import Checkout, Overrides, read_facts
from visual_review.client.recordings.api import RecordingService
from visual_review.client.recordings.found_videos import Finding
from visual_review.client.recordings.outcome import wait_for_all
from visual_review.client.recordings.reports import find_videos
from visual_review.client.recordings.selection import MEGABYTE, selected
from visual_review.client.recordings.upload import Sent, upload_all
from visual_review.client.recordings.upload_files import Origin
from visual_review.client.reporter import Reporter

UPLOADED: Final = 0

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of the videos, such as test-results.")
]
Reports = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE", help="Playwright's or mochawesome's JSON, or JUnit's XML; repeatable."
    ),
]
OnlyFailed = Annotated[
    bool, typer.Option("--only-failed", help="Leave out tests that passed or were skipped.")
]
Attachments = Annotated[
    bool, typer.Option("--attachments/--no-attachments", help="Send traces and screenshots along.")
]
LargestAttachment = Annotated[
    int, typer.Option(metavar="MB", min=0, help="Leave out attachments larger than this.")
]
Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Wait until the recordings can be watched.")
]
Timeout = Annotated[float, typer.Option(min=0, help="Seconds to wait for it.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what was found, and send nothing.")]


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
    """Upload the videos of a test run, with the tests, steps and errors its report tells.

    Running it again sends only what is missing. Exits with 0 if everything was uploaded, also if
    there was nothing to upload, and with 2 if anything failed.
    """
    with handled_failures("recordings", as_json=as_json):
        log = console(stderr=as_json)
        reporter = reporter_on(log)
        largest = largest_attachment * MEGABYTE if attachments else 0
        finding = selected(
            find_videos(folder, report or []), only_failed=only_failed, largest=largest
        )
        for note in finding.notes:
            reporter.note(note)
        if dry_run or not finding.videos:
            _print_found(finding, folder, as_json=as_json)
            raise typer.Exit(UPLOADED)
        flags = Overrides(branch, commit, pull_request, head_repository=head_repository)
        origin = Origin(read_facts(os.environ, Checkout(Path.cwd()), flags), product)
        address = checked_url(url)
        service = RecordingService(
            address, credential_for(token, address), on_retry=reporting_retries(reporter)
        )
        sent = _send(service, finding, origin, reporter, timeout if wait else None)
        if as_json:
            typer.echo(json.dumps(document(sent), indent=2))
        else:
            print_summary(sent, console(stderr=False))
    raise typer.Exit(FAILED if any(each.failed for each in sent) else UPLOADED)


def _print_found(finding: Finding, folder: Path, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(dry_document(finding), indent=2))
    else:
        print_found(finding, folder, console(stderr=False))


def _send(
    service: RecordingService,
    finding: Finding,
    origin: Origin,
    reporter: Reporter,
    wait_seconds: float | None,
) -> list[Sent]:
    facts = origin.facts
    reporter.note(
        f"Uploading {len(finding.videos)} recordings of {facts.branch} at {facts.commit[:12]} "
        f"[{facts.provider}]"
    )
    try:
        with ended_like_ctrl_c(), service:
            sent = upload_all(service, finding.videos, origin, reporter)
            if wait_seconds is None:
                return sent
            return wait_for_all(service, sent, wait_seconds, reporter)
    except KeyboardInterrupt:
        reporter.end()
        say(console(stderr=True), "Interrupted. Run the same command again to send the rest.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        reporter.end()

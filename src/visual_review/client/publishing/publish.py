"""Publishes a folder as a build, from the capture to the verdict."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from visual_review.client.capture import CaptureSettings, TagFilter, Variant, is_storybook
from visual_review.client.capture.manifest import read_manifest
from visual_review.client.capture.results import Profile
from visual_review.client.capture.sources import digest_preview
from visual_review.client.capture.themes import ThemeExpectation
from visual_review.client.ci import CiFacts
from visual_review.client.image_names import NamingOptions
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import BuildContents, Entry, Spool
from visual_review.client.publishing.captured_images import read_captured
from visual_review.client.publishing.code_owners import group_by_source, read_code_owners
from visual_review.client.publishing.early_upload import EarlyUpload
from visual_review.client.publishing.image_folder import read_images, require_folder
from visual_review.client.publishing.responses import CreatedBuild, Plan, Progress, Service
from visual_review.client.publishing.screenshots import TestResults
from visual_review.client.publishing.selection import (
    choose_stories,
    read_storybook,
    select_shard,
    settings_of_plan,
)
from visual_review.client.publishing.storybook import (
    CaptureOutput,
    NoObserver,
    Observer,
    capture_storybook,
)
from visual_review.client.publishing.upload import upload
from visual_review.client.test_results.playwright_folder import choose_folder
from visual_review.client.transport.errors import InputError, PublishError
from visual_review.variants import Device, Theme

FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 5.0
# Small builds take less than a second; large ones need not be polled so often.
GROWTH: Final = 1.3


def wait_for_verdict(
    service: Service, progress: Progress, seconds: float, reporter: Reporter
) -> Progress:
    """Poll until the build is processed.

    Raises PublishError after ``seconds``; the server still processes the build.
    """
    deadline = time.monotonic() + seconds
    pause = FIRST_PAUSE
    if progress.unfinished:
        reporter.note("Waiting for the comparison.")
    while True:
        left = deadline - time.monotonic()
        if not progress.unfinished:
            return progress
        if left <= 0:
            raise PublishError(
                f"Build #{progress.number} was still {progress.status} after {seconds:g} seconds. "
                f"The server continues; see {progress.url}, or wait longer with --timeout."
            )
        time.sleep(min(pause, left))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        progress = service.progress(progress.id)


T = TypeVar("T", Theme, Device)


def narrow_plan(plan: Plan, themes: Sequence[Theme], devices: Sequence[Device]) -> Plan:
    """Return the plan with only ``themes`` and ``devices``; empty means all of the plan.

    Raises InputError if nothing remains.
    """
    if not themes and not devices:
        return plan
    return replace(
        plan,
        themes=_narrow(plan.themes, themes, "themes"),
        devices=_narrow(plan.devices, devices, "devices"),
        # Detection would capture variants excluded by the project.
        detection_armed=False,
    )


def _narrow(planned: tuple[T, ...], chosen: Sequence[T], what: str) -> tuple[T, ...]:
    both = tuple(each for each in planned if not chosen or each in chosen)
    if not both:
        raise InputError(
            f"visual-review.toml captures {', '.join(chosen)} only, but this product is captured in "
            f"{', '.join(planned)}. Correct [capture.{what}] or the settings of the product."
        )
    return both


# Notes about many unstable stories must not bury the verdict.
SHOWN_NOTES: Final = 20
DELETIONS: Final = 5
DELETION_PAUSE: Final = 0.1

Scope = Literal["full", "partial", "skip"]
Verdict = Literal["nothing_to_review", "review_needed", "failed", "published", "dry_run"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to publish, and how."""

    folder: Path
    facts: CiFacts
    product_key: str = "default"
    scope: Scope = "full"
    # None: do not wait for the verdict.
    wait_seconds: float | None = 1800.0
    dry_run: bool = False
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    # Where the Storybook was built, by default the current folder.
    project_root: Path | None = None
    # Do not run a Storybook in the folder.
    images_only: bool = False
    # Publish the images that tests expect without looking for results of the last run.
    as_is: bool = False
    # Results of the last run of the tests; empty: find the results.
    reports: tuple[Path, ...] = ()
    # For file names not written by ``capture``; None: find the naming automatically.
    naming: NamingOptions | None = None
    # Capture only these themes of the server's plan; empty: all.
    themes: tuple[Theme, ...] = ()
    # Capture only these devices of the server's plan; empty: all.
    devices: tuple[Device, ...] = ()
    # Receives the times of the capture.
    profile: Profile = field(default_factory=Profile)
    reviewers: tuple[str, ...] = ()
    # Whether themes may be switched in another way than in the baseline.
    accepts_theme_change: bool = False
    # Chooses stories by tag.
    tags: TagFilter = field(default_factory=TagFilter)

    @property
    def root(self) -> Path:
        return self.project_root or Path.cwd()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a publish; a dry run has no ``progress``."""

    verdict: Verdict
    plan: Plan
    contents: BuildContents
    progress: Progress | None = None


def publish(request: Request, service: Service, reporter: Reporter) -> Outcome:
    """Capture, upload and wait. Raises PublishError or CaptureError."""
    if request.scope != "skip":
        require_folder(request.folder, "Build the Storybook first.")
    # Requested first, so that a wrong token or URL is reported immediately.
    plan = fetch_plan(request, service)
    with _temporary_folder() as spool_folder:
        create = partial(_create_build, request, service, plan, reporter)
        with EarlyUpload(service, request.facts.shard, create) as early:
            observer = NoObserver() if request.dry_run else early
            spool = Spool(spool_folder)
            contents = collect_contents(request, plan, spool, reporter, observer)
            print_notes(contents, reporter)
            if request.dry_run:
                return Outcome("dry_run", plan, contents)
            early.stop()
        if early.sent:
            reporter.note(f"{len(early.sent)} screenshots were sent during the capture.")
        build = early.build or create(contents)
        reporter.note(f"Build #{build.number}: {build.url}")
        progress = _upload_build(request, service, build, contents, reporter, early.sent)
    # Only the last shard waits; idle CI machines cost money.
    if request.wait_seconds is None or progress.shards_finished < progress.shards_total:
        return Outcome("published", plan, contents, progress)
    progress = wait_for_verdict(service, progress, request.wait_seconds, reporter)
    return Outcome(determine_verdict(progress), plan, contents, progress)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="visual-review-"))
    try:
        yield folder
    finally:
        # After an interruption, a last image may arrive while the folder is deleted.
        for _ in range(DELETIONS):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(DELETION_PAUSE)


def print_notes(contents: BuildContents, reporter: Reporter) -> None:
    for note in contents.notes[:SHOWN_NOTES]:
        reporter.note(note)
    if len(contents.notes) > SHOWN_NOTES:
        reporter.note(f"and {len(contents.notes) - SHOWN_NOTES} more notes")


def determine_verdict(progress: Progress) -> Verdict:
    """Return whether a processed build needs a review."""
    if progress.status != "completed":
        return "failed"
    if progress.review_state in ("approved", "not_required"):
        return "nothing_to_review"
    return "review_needed"


def _upload_build(
    request: Request,
    service: Service,
    build: CreatedBuild,
    contents: BuildContents,
    reporter: Reporter,
    sent: Mapping[tuple[str, Variant], Entry],
) -> Progress:
    if build.status == "uploading":
        return upload(service, build, contents, request.facts.shard, reporter, sent)
    if build.status == "expired":
        raise PublishError(
            f"Build #{build.number} of this run has expired: its images did not arrive in time. "
            "Publish again with a different --nonce."
        )
    reporter.note("This run was published before; nothing is uploaded again.")
    return service.progress(build.id)


def _create_build(
    request: Request, service: Service, plan: Plan, reporter: Reporter, contents: BuildContents
) -> CreatedBuild:
    body = _build_request(request, plan, contents)
    if plan.takes_code_owners:
        code_owners = read_code_owners(request.root, reporter)
        body |= {} if code_owners is None else {"codeOwners": code_owners}
    build = service.create(body)
    if build.unknown_reviewers:
        names = ", ".join(build.unknown_reviewers)
        reporter.note(
            f"Not asked for a review: {names}. No member has this name or email address, or the "
            "build is of a fork, whose job asks no one."
        )
    return build


def collect_contents(
    request: Request, plan: Plan, spool: Spool, reporter: Reporter, observer: Observer
) -> BuildContents:
    """Capture or read the requested folder. Raises InputError and CaptureError."""
    # A build without captures inherits every story of the baseline.
    if request.scope == "skip":
        return BuildContents((), {}, plan.themes, plan.devices, story_ids=sorted(plan.stories))
    if request.images_only or not is_storybook(request.folder):
        return _read_folder(request, plan, spool)
    require_no_naming(request, "is a Storybook")
    expectation = ThemeExpectation(plan.theme_finding, accepts_change=request.accepts_theme_change)
    settings = replace(settings_of_plan(request.capture, plan), theme_expectation=expectation)
    storybook = read_storybook(request.folder, request.project_root, settings, request.tags)
    settings = settings.with_preview(digest_preview(storybook.sources))
    selection = choose_stories(storybook, plan, partial=request.scope == "partial")
    selection = replace(selection, sources=group_by_source(storybook.stories, request.root))
    for note in selection.notes:
        reporter.note(note)
    shard = select_shard(selection, request.facts.shard, request.facts.shards)
    output = CaptureOutput(spool, reporter, observer, request.profile)
    return capture_storybook(request.folder, plan, shard, settings, output)


def _read_folder(request: Request, plan: Plan, spool: Spool) -> BuildContents:
    partial = request.scope == "partial"
    manifest = read_manifest(request.folder)
    if manifest is None:
        naming = request.naming or NamingOptions()
        converter = None if request.images_only else spool
        results = TestResults(spool.folder, request.reports, inside_only=request.images_only)
        return read_images(
            request.folder if request.as_is else choose_folder(request.folder),
            plan,
            naming,
            converter,
            partial=partial,
            results=None if request.as_is else results,
        )
    require_no_naming(request, "was written by `visual-review capture`")
    if (found := manifest.themes) is not None:
        accepts = request.accepts_theme_change
        ThemeExpectation(plan.theme_finding, found.preview_hash, accepts).check(found)
    return read_captured(request.folder, manifest, plan, partial=partial)


def require_no_naming(request: Request, reason: str) -> None:
    """Raise InputError for options without an effect."""
    if request.naming is not None:
        raise InputError(
            "--name-pattern, --theme and --device are for folders of images, but "
            f"{request.folder} {reason}, which says so itself. Omit them."
        )


def fetch_plan(request: Request, service: Service) -> Plan:
    """Return the plan for captures. Raises PublishError, and InputError if nothing remains."""
    return narrow_plan(service.plan(plan_query(request)), request.themes, request.devices)


def plan_query(request: Request) -> dict[str, str | int]:
    facts = request.facts
    query: dict[str, str | int] = {
        "branch": facts.branch,
        "productKey": request.product_key,
        "nonce": facts.nonce,
    }
    # The server sends the hashes of the variants captured by the project.
    if request.themes:
        query["themes"] = ",".join(request.themes)
    if request.devices:
        query["devices"] = ",".join(request.devices)
    if facts.head_repository:
        query["headRepository"] = facts.head_repository
    if facts.pull_request is not None:
        query["pullRequest"] = facts.pull_request
    if facts.base_branch:
        query["baseBranch"] = facts.base_branch
    return query


def _build_request(request: Request, plan: Plan, contents: BuildContents) -> dict[str, Any]:
    """Return the body of ``POST builds`` without unknown values."""
    facts = request.facts
    body: dict[str, Any] = {
        "nonce": facts.nonce,
        "shard": facts.shard,
        "shards": facts.shards,
        "productKey": request.product_key,
        "branch": facts.branch,
        "headRepository": facts.head_repository,
        "commit": facts.commit,
        "baseCommit": facts.base_commit,
        "mergeCommit": facts.merge_commit,
        "mergeBaseCommit": facts.merge_base_commit,
        "pullRequest": facts.pull_request,
        "baseBranch": facts.base_branch,
        "message": facts.message,
        "author": facts.author,
        "baselineId": plan.baseline_id,
        "baselineMove": plan.baseline_version,
        "matrix": {"themes": contents.themes, "devices": contents.devices},
    }
    if request.reviewers:
        body["reviewers"] = list(request.reviewers)
    if contents.sources:
        body["sources"] = contents.sources
    if contents.detection:
        body["detectionVariants"] = [
            {"theme": variant.theme, "device": variant.device} for variant in contents.detection
        ]
    if contents.story_ids is not None:
        body |= {"partial": True, "storyIds": list(contents.story_ids)}
        body["sourcesDigest"] = contents.sources_digest
    if renderer := contents.renderer:
        body["renderer"] = {
            "browser": renderer.browser,
            "version": renderer.version,
            "flags": " ".join(renderer.flags),
        }
    return {name: value for name, value in body.items() if value not in ("", None)}

"""The way of a build from a folder to the verdict."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from visual_review.client.capture import (
    CaptureSettings,
    is_storybook,
    read_stories,
    source_hashes,
)
from visual_review.client.ci import CiFacts
from visual_review.client.publishing.api import Service
from visual_review.client.publishing.build_images import Material, Spool
from visual_review.client.publishing.pngs import read_pngs
from visual_review.client.publishing.responses import CreatedBuild, Plan, Progress
from visual_review.client.publishing.storybook import (
    Selection,
    capture_storybook,
    select_changed,
    share,
)
from visual_review.client.publishing.upload import upload
from visual_review.client.publishing.verdict import wait_for_verdict
from visual_review.client.reporter import Reporter
from visual_review.client.transport.errors import InputError, PublishError

# A Storybook in which everything moves must not bury the verdict.
SHOWN_NOTES: Final = 20

Scope = Literal["full", "partial", "skip"]
Verdict = Literal["nothing_to_review", "review_needed", "failed", "published", "dry_run"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to publish. ``wait_seconds`` is None to leave without the verdict.

    ``project_root`` is the folder the Storybook was built in, by default the current one.
    """

    folder: Path
    facts: CiFacts
    product_key: str = "default"
    scope: Scope = "full"
    wait_seconds: float | None = 1800.0
    dry_run: bool = False
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    project_root: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it; ``progress`` is None for a dry run."""

    verdict: Verdict
    plan: Plan
    material: Material
    progress: Progress | None = None


def publish(request: Request, service: Service, reporter: Reporter) -> Outcome:
    """Capture, upload and wait. Raises PublishError or CaptureError with words for the log."""
    if not request.folder.is_dir() and request.scope != "skip":
        raise InputError(f"There is no folder {request.folder}. Build the Storybook first.")
    # Asked for first: a wrong token or address ends the command in its first second.
    plan = service.plan(_query(request))
    with tempfile.TemporaryDirectory(prefix="visual-review-") as spool_folder:
        material = _gather(request, plan, Spool(Path(spool_folder)), reporter)
        _print_notes(material, reporter)
        if request.dry_run:
            return Outcome("dry_run", plan, material)
        build = service.create(_build(request, plan, material))
        reporter.note(f"Build #{build.number}: {build.url}")
        progress = _send(request, service, build, material, reporter)
    # Only the last shard waits; machines that wait for each other cost money.
    if request.wait_seconds is None or progress.shards_finished < progress.shards_total:
        return Outcome("published", plan, material, progress)
    progress = wait_for_verdict(service, progress, request.wait_seconds, reporter)
    return Outcome(verdict_of(progress), plan, material, progress)


def _print_notes(material: Material, reporter: Reporter) -> None:
    for note in material.notes[:SHOWN_NOTES]:
        reporter.note(note)
    if len(material.notes) > SHOWN_NOTES:
        reporter.note(f"and {len(material.notes) - SHOWN_NOTES} more remarks")


def verdict_of(progress: Progress) -> Verdict:
    """Whether a build that is no longer worked on needs somebody's decision."""
    if progress.status != "completed":
        return "failed"
    if progress.review_state in ("approved", "not_required"):
        return "nothing_to_review"
    return "review_needed"


def _send(
    request: Request,
    service: Service,
    build: CreatedBuild,
    material: Material,
    reporter: Reporter,
) -> Progress:
    if build.status == "uploading":
        return upload(service, build.id, material, request.facts.shard, reporter)
    if build.status == "expired":
        raise PublishError(
            f"This run's build #{build.number} has expired: its images did not arrive in time. "
            "Publish again with another --nonce."
        )
    reporter.note("This run was published before; nothing is sent again.")
    return service.progress(build.id)


def _gather(request: Request, plan: Plan, spool: Spool, reporter: Reporter) -> Material:
    # A build that captured nothing inherits every story of the baseline.
    if request.scope == "skip":
        return Material((), {}, plan.themes, plan.devices, story_ids=sorted(plan.stories))
    if not is_storybook(request.folder):
        return read_pngs(request.folder, plan, partial=request.scope == "partial")
    selection = _selection(request, plan, reporter)
    shared = share(selection, request.facts.shard, request.facts.shards)
    return capture_storybook(request.folder, plan, shared, request.capture, spool, reporter)


def _selection(request: Request, plan: Plan, reporter: Reporter) -> Selection:
    """Which stories to capture. Their hashes go along with every build, for later partial ones."""
    stories = read_stories(request.folder)
    if not stories:
        raise InputError(f"The Storybook in {request.folder} has no stories.")
    hashes, reason = source_hashes(request.folder, request.project_root)
    if request.scope != "partial":
        return Selection(stories, hashes or {})
    if hashes is None:
        reporter.note(f"Everything is captured: {reason}")
        return Selection(stories, {})
    selection = select_changed(stories, hashes, plan.stories)
    reporter.note(f"{len(selection.stories)} of {len(stories)} stories changed.")
    return selection


def _query(request: Request) -> dict[str, str | int]:
    facts = request.facts
    query: dict[str, str | int] = {
        "branch": facts.branch,
        "productKey": request.product_key,
        "nonce": facts.nonce,
    }
    if facts.head_repository:
        query["headRepository"] = facts.head_repository
    if facts.pull_request is not None:
        query["pullRequest"] = facts.pull_request
    if facts.base_branch:
        query["baseBranch"] = facts.base_branch
    return query


def _build(request: Request, plan: Plan, material: Material) -> Mapping[str, Any]:
    """The body of ``POST builds``; what is unknown is left out."""
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
        "baselineId": plan.baseline_id,
        "baselineMove": plan.baseline_move,
        "matrix": {"themes": material.themes, "devices": material.devices},
    }
    if material.detection:
        body["detectionVariants"] = [
            {"theme": variant.theme, "device": variant.device} for variant in material.detection
        ]
    if material.story_ids is not None:
        body |= {"partial": True, "storyIds": list(material.story_ids)}
    if renderer := material.renderer:
        body["renderer"] = {
            "browser": renderer.browser,
            "version": renderer.version,
            "flags": " ".join(renderer.flags),
        }
    return {name: value for name, value in body.items() if value not in ("", None)}

"""Compare a pull request's builds with the new baseline after its base branch changed."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.baselines.resolution import BaselineResolution, resolve_newest_baseline
from visual_review.builds.baselines.sets import Entries
from visual_review.builds.baselines.store import entries_at
from visual_review.builds.bulk_update import update_rows
from visual_review.builds.comparing.change_groups import delete_groups
from visual_review.builds.job_queue import enqueue_processing
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Build, Image, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.pull_requests.tracking import newest_builds_of
from visual_review.builds.queries import store_counts
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.carry_over_rules import EarlierDecision, still_holds
from visual_review.builds.reviewing.pair_history import ImagePair, load_histories_for
from visual_review.builds.reviewing.writes import (
    UNDECIDED,
    LoggedDecision,
    log_screenshot_decisions,
)
from visual_review.builds.source import BuildSource
from visual_review.builds.states import (
    COMPLETED,
    PENDING,
    PROCESSING,
    REMOVED,
    UNREVIEWED,
    ReviewCounts,
)
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

VERB = "build.retargeted"
BASE_BRANCH_CHANGED = "retargeted"
UNMEASURED = {
    "diff_state": PENDING,
    "diff_ratio": 0,
    "comparison": None,
    "only_in_regions": False,
    "matches_former_baseline": False,
}


def apply_base_branch_change(pull_request: PullRequest) -> list[str]:
    """Compare the newest builds for the current base branch; return the ids of changed builds."""
    # Also builds seemingly on the base branch: a concurrent change may be about to move them.
    ids = list(newest_builds_of(pull_request).values_list("pk", flat=True))
    return [build_id for build_id in ids if _change_base_branch(build_id, pull_request.pk)]


@transaction.atomic
def _change_base_branch(build_id: str, pull_request_id: int) -> bool:
    _, build = lock_build(build_id)
    # Read under the build's lock: of two concurrent changes, the later one sees the newest.
    base_branch = PullRequest.objects.get(pk=pull_request_id).base_branch
    unchanged = base_branch in {"", build.base_branch}
    if unchanged or build.status not in {PROCESSING, COMPLETED}:
        return False
    before = _audit_values(build)
    compared = _resolve_baseline(build, base_branch)
    baseline_changed = compared.baseline != build.baseline
    build.base_branch, build.baseline_rule = base_branch, compared.rule
    build.revision += 1
    if baseline_changed:
        build.baseline, build.baseline_version = compared.baseline, compared.version
        _restart_processing(build)
    build.save()
    change = Change(VERB, build_target(build), before=before, after=_audit_values(build))
    record(build.repository.organization_id, SYSTEM, change)
    notify_hosts(build)
    return True


def _resolve_baseline(build: Build, base_branch: str) -> BaselineResolution:
    source = BuildSource(
        branch=build.branch,
        head_repository=build.head_repository,
        pull_request=build.pull_request,
        base_branch=base_branch,
    )
    return resolve_newest_baseline(build.product, source)


def _audit_values(build: Build) -> dict[str, object]:
    return {
        "baseBranch": build.base_branch,
        "baselineRule": build.baseline_rule,
        "baselineMove": build.baseline_version,
        "state": build.review_state,
    }


def _restart_processing(build: Build) -> None:
    """Put the locked build back to processing; decisions on unchanged pairs are kept."""
    entries = entries_at(build.baseline_id, build.baseline_version) if build.baseline_id else {}
    rows = Screenshot.objects.filter(build=build)
    _keep_without_entry(build, entries)
    kept = _discard_decisions(build, entries)
    # Rows added by the service came from the other baseline; the log keeps their decisions.
    rows.filter(inherited=True).delete()
    # Removals of the same image keep their decisions: the next approval must not accept a rejected
    # one.
    rows.filter(diff_state=REMOVED).exclude(pk__in=kept).delete()
    rows.exclude(image=None).update(message="")
    rows.exclude(diff_state=REMOVED).update(**UNMEASURED)
    delete_groups(build)
    store_counts(build, ReviewCounts())
    # The sources were equal to the sources of the former baseline.
    build.sources_equal = False
    build.status, build.completed_at = PROCESSING, None
    # A measurement in progress is for the other base branch; the new time makes it outdated.
    build.last_upload_at = now()
    write_review_state(build, UNREVIEWED, Decider(source=""))
    enqueue_processing(build.id, build.repository.organization_id)


def _keep_without_entry(build: Build, entries: Entries) -> None:
    """Turn inherited screenshots that the new baseline lacks into the build's own.

    The stories have not changed since their capture, so the screenshots belong to the build.
    """
    inherited = Screenshot.objects.filter(build=build, inherited=True).select_related("image")
    own = [row for row in inherited if _key(row) not in entries]
    for row in own:
        image = row.image
        if isinstance(image, Image):
            row.sha256, row.width, row.height = image.sha256, image.width, image.height
            row.inherited = False
    update_rows(own, ("sha256", "width", "height", "inherited"))


def _discard_decisions(build: Build, entries: Entries) -> set[str]:
    """Clear decisions that do not hold for the new base branch; return the ids of the others."""
    decided = list(Screenshot.objects.filter(build=build).exclude(review_decision=""))
    kept = _decisions_to_keep(build, decided, entries)
    ids = {row.pk for row in kept}
    Screenshot.objects.filter(pk__in={row.pk for row in decided} - ids).update(**UNDECIDED)
    _log_kept(build, kept)
    return ids


def _decisions_to_keep(
    build: Build, decided: Collection[Screenshot], entries: Entries
) -> Sequence[Screenshot]:
    if build.baseline_id is None:
        return []
    lefts = {row: _left(row, entries) for row in decided}
    pairs = {row: ImagePair(_key(row), left, row.image_id) for row, left in lefts.items()}
    found = load_histories_for(build, list(pairs.values()))
    return [
        row
        for row in decided
        if still_holds(
            EarlierDecision(
                row.review_decision,
                row.decided_at or now(),
                same_pair=lefts[row] == row.baseline_image_id,
                screenshot_id=row.pk,
            ),
            found[_key(row)],
        )
    ]


def _left(row: Screenshot, entries: Entries) -> int | None:
    entry = entries.get(_key(row))
    return entry.image if entry else None


def _key(row: Screenshot) -> VariantKey:
    return VariantKey(row.story_id, row.theme, row.device)


def _log_kept(build: Build, kept: Sequence[Screenshot]) -> None:
    """Log that the decisions hold for the new base branch, so that they carry over there."""
    newest = ReviewEntry.objects.filter(screenshot__in=kept).order_by("screenshot_id", "-id")
    accepted = newest.distinct("screenshot_id").values_list("screenshot_id", "along_with_build")
    # Keeping a removal that no one decided does not decide about the removal.
    along = {screenshot_id for screenshot_id, is_along in accepted if is_along}
    decisions = (
        (
            row,
            replace(
                LoggedDecision.stored_in(row, BASE_BRANCH_CHANGED),
                along_with_build=row.pk in along,
            ),
        )
        for row in kept
    )
    log_screenshot_decisions(build, decisions)

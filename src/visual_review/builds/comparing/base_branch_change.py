"""A pull request got another target: its builds are compared again, with that one's baseline."""

from collections.abc import Collection, Sequence

from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.baselines.resolution import ComparedWith, newest_baseline
from visual_review.builds.baselines.sets import Entries
from visual_review.builds.baselines.store import entries_at
from visual_review.builds.bulk_update import update_rows
from visual_review.builds.counts import store_counts
from visual_review.builds.job_queue import enqueue_processing
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Build, Image, PullRequest, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.publishing.requests import Source
from visual_review.builds.pull_requests.tracking import builds_on_other_base
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.carry_over_rules import EarlierDecision, stays
from visual_review.builds.reviewing.pair_history import PairOf, histories
from visual_review.builds.states import COMPLETED, PROCESSING, UNREVIEWED, ReviewCounts
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

VERB = "build.retargeted"
BASE_BRANCH_CHANGED = "retargeted"
ROWS_AT_ONCE = 1000
UNDECIDED = {
    "review_decision": "",
    "decision_source": "",
    "decided_by_id": "",
    "decided_by_name": "",
    "decided_client": "",
    "decided_at": None,
    "comment": "",
    "carried_from_id": "",
}
UNMEASURED = {
    "diff_state": "pending",
    "diff_ratio": 0,
    "comparison": None,
    "only_in_regions": False,
    "matches_former_baseline": False,
}


def apply_base_branch_change(pull_request: PullRequest) -> list[str]:
    """Have the newest builds compared for the target known now; answers with their ids."""
    ids = list(builds_on_other_base(pull_request).values_list("pk", flat=True))
    return [build_id for build_id in ids if _change_base_branch(build_id, pull_request.pk)]


@transaction.atomic
def _change_base_branch(build_id: str, pull_request_id: int) -> bool:
    _, build = lock_build(build_id)
    # Read under the lock of the build: of two that follow at once, the later one sees the newest.
    target = PullRequest.objects.get(pk=pull_request_id).base_branch
    if build.base_branch == target or build.status not in {PROCESSING, COMPLETED}:
        return False
    before = _facts(build)
    compared = _compared(build, target)
    moved = compared.baseline != build.baseline
    build.base_branch, build.baseline_rule = target, compared.rule
    if moved:
        build.baseline, build.baseline_move = compared.baseline, compared.move
        _begin_again(build)
    build.save()
    change = Change(VERB, build_target(build), before=before, after=_facts(build))
    record(build.repository.organization_id, SYSTEM, change)
    notify_hosts(build)
    return True


def _compared(build: Build, target: str) -> ComparedWith:
    source = Source(
        branch=build.branch,
        head_repository=build.head_repository,
        pull_request=build.pull_request,
        base_branch=target,
    )
    return newest_baseline(build.product, source.origin(build.repository.default_branch))


def _facts(build: Build) -> dict[str, object]:
    return {
        "baseBranch": build.base_branch,
        "baselineRule": build.baseline_rule,
        "baselineMove": build.baseline_move,
        "state": build.review_state,
    }


def _begin_again(build: Build) -> None:
    """Put the locked build back to processing; decisions on pairs that stay remain."""
    entries = entries_at(build.baseline_id, build.baseline_move) if build.baseline_id else {}
    rows = Screenshot.objects.filter(build=build)
    _keep_without_entry(build, entries)
    kept = _take_decisions_back(build, entries)
    # What the service added itself came from the other baseline; the log keeps what was decided.
    rows.filter(inherited=True).delete()
    # Removals of the same picture stay with their decisions: a rejected one must not be accepted
    # with the next approval.
    rows.filter(diff_state="removed").exclude(pk__in=kept).delete()
    rows.exclude(image=None).update(message="")
    rows.exclude(diff_state="removed").update(**UNMEASURED)
    store_counts(build, ReviewCounts())
    build.status, build.completed_at = PROCESSING, None
    # What is measured just now was measured for the other target, and is told by this.
    build.last_upload_at = now()
    write_review_state(build, UNREVIEWED, Decider(source=""))
    enqueue_processing(build.id)


def _keep_without_entry(build: Build, entries: Entries) -> None:
    """Inherited screenshots that the new baseline lacks are shown as the build's own.

    Their story did not change since they were captured, so they are what the build shows.
    """
    inherited = Screenshot.objects.filter(build=build, inherited=True).select_related("image")
    own = [row for row in inherited if _key(row) not in entries]
    for row in own:
        image = row.image
        if isinstance(image, Image):
            row.sha256, row.width, row.height = image.sha256, image.width, image.height
            row.inherited = False
    update_rows(own, ("sha256", "width", "height", "inherited"))


def _take_decisions_back(build: Build, entries: Entries) -> set[str]:
    """Take back those that do not hold for the new target; answers with the ids that stay."""
    decided = list(Screenshot.objects.filter(build=build).exclude(review_decision=""))
    kept = _kept(build, decided, entries)
    ids = {row.pk for row in kept}
    Screenshot.objects.filter(pk__in={row.pk for row in decided} - ids).update(**UNDECIDED)
    _log_kept(build, kept)
    return ids


def _kept(build: Build, decided: Collection[Screenshot], entries: Entries) -> Sequence[Screenshot]:
    if build.baseline_id is None:
        return []
    lefts = {row: _left(row, entries) for row in decided}
    pairs = {row: PairOf(_key(row), left, row.image_id) for row, left in lefts.items()}
    found = histories(build.baseline_id, build.baseline_move, list(pairs.values()))
    return [
        row
        for row in decided
        if stays(
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
    """Note that the decisions count for the new target; by these its own builds carry them over."""
    ReviewEntry.objects.bulk_create(
        (
            ReviewEntry(
                build=build,
                screenshot=row,
                decision=row.review_decision,
                source=BASE_BRANCH_CHANGED,
                decided_by_id=row.decided_by_id,
                decided_by_name=row.decided_by_name,
                client=row.decided_client,
                comment=row.comment,
                baseline_id=build.baseline_id,
                story_id=row.story_id,
                theme=row.theme,
                device=row.device,
                left_image_id=row.baseline_image_id,
                right_image_id=row.image_id,
            )
            for row in kept
        ),
        batch_size=ROWS_AT_ONCE,
    )

"""Carry approvals over to screenshots with the same pair: rule 6, in the caller's transaction."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.bulk_update import update_rows
from visual_review.builds.carried_approvals import approvals_of
from visual_review.builds.deciders import CarriedApproval, name_people
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Baseline, Build, PullRequest, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.queries import count_screenshots
from visual_review.builds.reviewing.approval import (
    Decider,
    finalize,
    newest_approved_number,
    restored_since,
    write_review_state,
)
from visual_review.builds.reviewing.carry_over_rules import PairHistory, carries_over
from visual_review.builds.reviewing.pair_history import ImagePair, load_histories_for
from visual_review.builds.reviewing.writes import LoggedDecision, log_screenshot_decisions
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    COMPLETED,
    DIFFERENCES,
    PROCESSING,
    UNREVIEWED,
    ReviewCounts,
    is_rollback,
    review_after_comparison,
)
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

CARRIED_FIELDS = (
    "matches_former_baseline",
    "review_decision",
    "decision_source",
    "decided_by_id",
    "decided_by_name",
    "decided_client",
    "decided_at",
    "carried_from_id",
)


def carry_over_approvals(build: Build, rows: Iterable[Screenshot]) -> list[Screenshot]:
    """Approve, in memory, the screenshots whose pair was approved before; return these."""
    if build.baseline_id is None:
        return []
    pairs = {
        row: ImagePair(
            VariantKey(row.story_id, row.theme, row.device), row.baseline_image_id, row.image_id
        )
        for row in rows
        if row.diff_state in DIFFERENCES and not row.detection_only
    }
    found = load_histories_for(build, list(pairs.values()))
    carried = [row for row, pair in pairs.items() if _apply(row, found[pair.key])]
    _name_originals(carried)
    return carried


def _apply(row: Screenshot, history: PairHistory) -> bool:
    row.matches_former_baseline = history.right_was_baseline
    # A person's decision on the screenshot itself takes precedence.
    if row.review_decision or not carries_over(history) or history.last is None:
        return False
    row.review_decision = APPROVED
    row.decision_source = CARRIED_OVER
    row.decided_by_id = history.last.by_id
    row.decided_by_name = history.last.by_name
    row.decided_client = history.last.client
    row.decided_at = now()
    row.carried_from_id = history.last.screenshot_id
    return True


def _name_originals(carried: Sequence[Screenshot]) -> None:
    """Refer to the original approval where the newest one was carried over itself.

    Such an approval was kept, and logged anew, when its pull request's base branch changed.
    """
    sources = Screenshot.objects.filter(
        pk__in={row.carried_from_id for row in carried}, decision_source=CARRIED_OVER
    ).exclude(carried_from_id="")
    originals = dict(sources.values_list("pk", "carried_from_id")) if carried else {}
    for row in carried:
        row.carried_from_id = originals.get(row.carried_from_id, row.carried_from_id)


def log_carried_over(build: Build, carried: Sequence[Screenshot]) -> None:
    """Write each to the review log; the rows are already stored."""
    log_screenshot_decisions(
        build, ((row, LoggedDecision.stored_in(row, CARRIED_OVER)) for row in carried)
    )


def start_review(build: Build, baseline: Baseline, counts: ReviewCounts) -> None:
    """Set the first review state of a compared build, approved if everything is carried over."""
    state = review_after_comparison(counts)
    if state == APPROVED and _undoes_a_decision(build, baseline):
        state = UNREVIEWED
    if state == APPROVED:
        approvals = approvals_of(build)
        decider = _decider_of(approvals)
        finalize(build, baseline, decider, newest_approved_number(baseline))
        change = Change(
            "build.approved",
            build_target(build),
            before={"state": UNREVIEWED},
            after={"state": CARRIED_OVER, "approvals": list(map(str, approvals))},
        )
        record(build.repository.organization_id, SYSTEM, change)
    else:
        write_review_state(build, state, Decider(source=""))


def _decider_of(approvals: Sequence[CarriedApproval]) -> Decider:
    """Return the people whose approvals approve a build; their program if all used the same."""
    clients = {approval.client for approval in approvals}
    return Decider(
        source=CARRIED_OVER,
        name=name_people(approvals),
        client=clients.pop() if len(clients) == 1 else "",
        carried_from=max((approval.screenshot_id for approval in approvals), default=""),
    )


def _undoes_a_decision(build: Build, baseline: Baseline) -> bool:
    """Return whether a carried-over approval would undo a newer decision on the branch."""
    older = is_rollback(build.number, newest_approved_number(baseline))
    return older or restored_since(build, baseline)


def carry_over_on_base_branch(pull_request: PullRequest) -> list[str]:
    """Carry approvals over to undecided builds of the base branch; return the changed ones."""
    # The merge commit's own build matters for its commit status, even if superseded.
    newest = Q(superseded_by=None)
    if pull_request.merge_commit:
        newest |= Q(commit=pull_request.merge_commit)
    waiting = Build.objects.filter(
        newest,
        repository_id=pull_request.repository_id,
        head_repository="",
        branch=pull_request.base_branch,
        pull_request=None,
        # A build being completed may have been checked before the approval; the lock below waits
        # for it.
        status__in=(PROCESSING, COMPLETED),
        review_state=UNREVIEWED,
    ).order_by("number")
    return [pk for pk in list(waiting.values_list("pk", flat=True)) if carry_over_again(pk)]


@transaction.atomic
def carry_over_again(build_id: str) -> bool:
    """Apply rule 6 to an undecided build again; return whether the build changed."""
    baseline, build = lock_build(build_id)
    if build.status != COMPLETED or build.review_state != UNREVIEWED:
        return False
    rows = Screenshot.objects.filter(
        build=build, diff_state__in=DIFFERENCES, detection_only=False, review_decision=""
    )
    carried = carry_over_approvals(build, rows)
    if not carried:
        return False
    update_rows(carried, CARRIED_FIELDS)
    log_carried_over(build, carried)
    start_review(build, baseline, count_screenshots(build))
    notify_hosts(build)
    return True

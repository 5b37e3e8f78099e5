"""People's decisions on screenshots and builds, written in the caller's transaction.

Always in this order: the branch's baseline is locked, then the build, then rows are written.
"""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from visual_review.builds.counts import counts_of_build
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Baseline, BaselineMove, Build, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts, notify_rejection
from visual_review.builds.reviewing.approval import Decider, finalize, write_review_state
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    REJECTED,
    Decision,
    require_decidable,
    require_reviewable,
    review_after_decision,
)
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Decided:
    """What a decision did. ``accepted_removals`` counts removed stories taken out with it."""

    build: Build
    before: str
    screenshots: int
    finalized: bool = False
    accepted_removals: int = 0
    rolled_back: bool = False
    move: int | None = None
    still_baseline: bool = False


def review_screenshot(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> Decided:
    """Decide one screenshot; raises ConflictError for what takes no decision."""
    baseline, build = _lock(shot.build_id)
    rows = Screenshot.objects.filter(pk=shot.pk)
    # Read again under the lock: another reviewer or a comparison may have been faster.
    locked = rows.get()
    require_reviewable(locked.diff_state, detection_only=locked.detection_only)
    takes_out = locked.diff_state == "removed" and locked.review_decision != APPROVED
    written = _write(build, rows, decision, decider, comment)
    if decision == REJECTED:
        notify_rejection(build, written[0])
    if decision == REJECTED and locked.diff_state not in DIFFERENCES:
        # It holds up no approval, so it takes none back either.
        still = _stands_on(baseline, build)
        return _told(Decided(build, build.review_state, 1, still_baseline=still))
    return _told(
        _after_single(build, baseline, decision, decider, screenshots=1, takes_out=takes_out)
    )


def approve_story(build_id: str, story_id: str, decider: Decider) -> Decided:
    """Approve the changed and new variants of a story; raises ConflictError when none are."""
    baseline, build = _lock(build_id)
    rows = Screenshot.objects.filter(
        build=build, story_id=story_id, diff_state__in=BLOCKING, detection_only=False
    )
    count = len(_write(build, rows, APPROVED, decider, None))
    if not count:
        raise ConflictError(
            "Nothing of this story is changed or new in this build, so there is nothing to approve."
        )
    return _told(_after_single(build, baseline, APPROVED, decider, screenshots=count))


def approve_build(build_id: str, decider: Decider, *, everything: bool = False) -> Decided:
    """Approve the build and every difference in it, rejected ones included.

    ``everything`` approves unchanged and inherited screenshots as well. Repeating the approval
    of the build that the baseline stands on moves nothing.
    """
    baseline, build = _lock(build_id)
    before = build.review_state
    states = (*DIFFERENCES, "unchanged") if everything else DIFFERENCES
    rows = Screenshot.objects.filter(build=build, diff_state__in=states, detection_only=False)
    # Those approved before keep their decider.
    written = len(_write(build, rows.exclude(review_decision=APPROVED), APPROVED, decider, None))
    if before == APPROVED and not written and _stands_on(baseline, build):
        return Decided(build, before, 0, finalized=True, accepted_removals=build.removed_count)
    done = finalize(build, baseline, decider)
    _log_build(build, APPROVED, decider)
    return _told(
        Decided(
            build,
            before,
            written,
            finalized=True,
            accepted_removals=build.removed_count,
            rolled_back=done.rolled_back,
            move=done.move.sequence,
        )
    )


def reject_build(build_id: str, decider: Decider) -> Decided:
    """Reject the build and every difference in it; never moves a baseline."""
    baseline, build = _lock(build_id)
    before = build.review_state
    rows = Screenshot.objects.filter(build=build, diff_state__in=DIFFERENCES, detection_only=False)
    # As with an approval, earlier rejections keep their decider and comment.
    written = _write(build, rows.exclude(review_decision=REJECTED), REJECTED, decider, None)
    if before != REJECTED:
        _log_build(build, REJECTED, decider)
        write_review_state(build, REJECTED, decider)
    still = _stands_on(baseline, build)
    return _told(Decided(build, before, len(written), still_baseline=still))


def _told(decided: Decided) -> Decided:
    """Note for the source host what was decided; the last that a decision writes."""
    notify_hosts(decided.build)
    return decided


def _lock(build_id: str) -> tuple[Baseline, Build]:
    baseline, build = lock_build(build_id)
    require_decidable(build.status)
    return baseline, build


def _after_single(
    build: Build,
    baseline: Baseline,
    decision: Decision,
    decider: Decider,
    *,
    screenshots: int,
    takes_out: bool = False,
) -> Decided:
    before = build.review_state
    counts = counts_of_build(build)
    state = review_after_decision(before, decision, counts)
    # A decision made again, in an approved build that others have followed since, must not
    # bring its whole set back; a removal accepted only now still has to leave the baseline.
    if state == APPROVED and (before != APPROVED or takes_out):
        return _finalize_single(build, baseline, decider, screenshots)
    if state != before:
        write_review_state(build, state, decider)
    return Decided(build, before, screenshots, still_baseline=_stands_on(baseline, build))


def _finalize_single(
    build: Build, baseline: Baseline, decider: Decider, screenshots: int
) -> Decided:
    before = build.review_state
    undecided = Screenshot.objects.filter(
        Q(review_decision=""), build=build, diff_state="removed", detection_only=False
    )
    # Finalizing accepts the removals nobody spoke on, and the log says so.
    _write(build, undecided, APPROVED, decider, None)
    accepted = counts_of_build(build).removed_approved
    done = finalize(build, baseline, decider)
    _log_build(build, APPROVED, decider)
    return Decided(
        build,
        before,
        screenshots,
        finalized=True,
        accepted_removals=accepted,
        rolled_back=done.rolled_back,
        move=done.move.sequence,
    )


def _stands_on(baseline: Baseline, build: Build) -> bool:
    """Whether the branch's baseline was last moved by this build."""
    return BaselineMove.objects.filter(
        baseline=baseline, sequence=baseline.last_move, build=build
    ).exists()


def _write(
    build: Build,
    rows: QuerySet[Screenshot],
    decision: Decision,
    decider: Decider,
    comment: str | None,
) -> list[ReviewEntry]:
    """Write the decision on every row, and each into the review log."""
    values: dict[str, object] = {
        "review_decision": decision,
        "decision_source": decider.source,
        "decided_by_id": decider.id,
        "decided_by_name": decider.name,
        "decided_client": decider.client,
        "decided_at": now(),
        "carried_from_id": "",
    }
    if comment is not None or decision == APPROVED:
        # An approval takes the words of an earlier rejection back; the log keeps them.
        values["comment"] = comment or ""
    shots = list(rows)
    Screenshot.objects.filter(pk__in=[shot.pk for shot in shots]).update(**values)
    return ReviewEntry.objects.bulk_create(
        [_entry(build, shot, decision, decider, comment or "") for shot in shots],
        batch_size=ROWS_AT_ONCE,
    )


def _entry(
    build: Build, shot: Screenshot, decision: str, decider: Decider, comment: str
) -> ReviewEntry:
    return ReviewEntry(
        build=build,
        screenshot=shot,
        decision=decision,
        source=decider.source,
        decided_by_id=decider.id,
        decided_by_name=decider.name,
        client=decider.client,
        comment=comment,
        baseline_id=build.baseline_id,
        story_id=shot.story_id,
        theme=shot.theme,
        device=shot.device,
        left_image_id=shot.baseline_image_id,
        right_image_id=shot.image_id,
    )


def _log_build(build: Build, decision: str, decider: Decider) -> None:
    ReviewEntry.objects.create(
        build=build,
        decision=decision,
        source=decider.source,
        decided_by_id=decider.id,
        decided_by_name=decider.name,
        client=decider.client,
    )

"""State changes of builds and screenshots; pure. Rules 4 and 7 of the design."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from visual_review.kernel.errors import ConflictError

Status = Literal["uploading", "processing", "completed", "failed", "expired"]
# The statuses of builds past uploading, as shown in lists.
PublishedStatus = Literal["processing", "completed", "failed"]
DiffState = Literal["pending", "unchanged", "changed", "new", "removed", "failed"]
Decision = Literal["approved", "rejected"]
ReviewState = Literal["unreviewed", "approved", "rejected", "not_required"]

UPLOADING: Final = "uploading"
PROCESSING: Final = "processing"
COMPLETED: Final = "completed"
# A build, or a screenshot.
FAILED: Final = "failed"
EXPIRED: Final = "expired"
PUBLISHED: Final[tuple[PublishedStatus, ...]] = get_args(PublishedStatus)

PENDING: Final = "pending"
UNCHANGED: Final = "unchanged"
CHANGED: Final = "changed"
NEW: Final = "new"
REMOVED: Final = "removed"
DIFFERENCES: Final = (CHANGED, NEW, REMOVED)
BLOCKING: Final = (CHANGED, NEW)
# All screenshots of such a state are one group; each screenshot is a change of its own.
GROUPED_STATES: Final = (NEW, REMOVED)
# The key of the group of changes that the build's branch did not cause.
NOT_FROM_BRANCH: Final = "not_from_branch"
# The states to review, and all diff states; in the same order everywhere.
TO_REVIEW: Final = (*DIFFERENCES, FAILED)
DIFF_STATES: Final = (*TO_REVIEW, PENDING, UNCHANGED)
DIFF_STATE_RANK: Final = {state: rank for rank, state in enumerate(DIFF_STATES)}

APPROVED: Final = "approved"
REJECTED: Final = "rejected"
DECISIONS: Final = (APPROVED, REJECTED)
UNREVIEWED: Final = "unreviewed"
NOT_REQUIRED: Final = "not_required"

CARRIED_OVER: Final = "carried_over"
# In the review log: the decision was cleared, or the deciding request was undone.
CLEARED: Final = "cleared"
UNDONE: Final = "undone"


class BuildApprovedError(ConflictError):
    """The build is approved, so only the restore of a baseline goes back."""


def review_rank(
    diff_state: str, group_position: int | None, severity: float | None
) -> tuple[int, int, float]:
    """Return the sort key of screenshots: their state, then the group, the most severe first."""
    position = sys.maxsize if group_position is None else group_position
    return DIFF_STATE_RANK[diff_state], position, -(severity or 0)


@dataclass(frozen=True)
class ReviewCounts:
    """How many screenshots of a build are in each state, without those for detection only.

    ``open`` are the unapproved changed and new screenshots, ``rejected`` the rejected differences.
    """

    changed: int = 0
    new: int = 0
    removed: int = 0
    failed: int = 0
    unchanged: int = 0
    pending: int = 0
    open: int = 0
    removed_approved: int = 0
    rejected: int = 0

    @property
    def differences(self) -> int:
        return self.changed + self.new + self.removed


def review_counts(counted: Mapping[tuple[str, str], int]) -> ReviewCounts:
    """Return the counts, given the numbers by diff state and decision (empty for none)."""
    by_state: Counter[str] = Counter()
    opened = accepted = rejected = 0
    for (diff_state, decision), count in counted.items():
        by_state[diff_state] += count
        opened += count * (diff_state in BLOCKING and decision != APPROVED)
        accepted += count * (diff_state == REMOVED and decision == APPROVED)
        rejected += count * (diff_state in DIFFERENCES and decision == REJECTED)
    states = {state: by_state[state] for state in DIFF_STATES}
    return ReviewCounts(**states, open=opened, removed_approved=accepted, rejected=rejected)


def require_decidable(status: str) -> None:
    """Raise ConflictError unless a build in the status can be decided."""
    if status != COMPLETED:
        raise ConflictError(
            f"This build is '{status}', and only a completed build can be reviewed. "
            + _HOW_TO_DECIDE.get(status, "")
        )


_HOW_TO_DECIDE: Final = {
    UPLOADING: "Wait until CI has uploaded all screenshots.",
    PROCESSING: "Wait until the comparison is done.",
    FAILED: "Publish again.",
    EXPIRED: "Its uploads never finished. Publish again.",
}


def require_reviewable(diff_state: str, *, detection_only: bool = False) -> None:
    """Raise ConflictError if the screenshot cannot be decided."""
    if detection_only:
        raise ConflictError(
            "This screenshot was captured only to detect the product's capabilities. It is not "
            "part of the review."
        )
    if diff_state == FAILED:
        raise ConflictError(
            "This screenshot failed, so there is no image to review. "
            "Fix the story and publish again, or accept the failure with approve_build."
        )
    if diff_state == PENDING:
        raise ConflictError(
            "This screenshot is not compared yet. Wait until the build is completed."
        )


def finalizes(counts: ReviewCounts) -> bool:
    """Return whether decisions on single screenshots make the build approved.

    Removed screenshots do not block changed and new ones; in a build with removals only, all
    removals need an approval; a build with failures needs ``approve_build``.
    """
    if counts.failed or counts.pending or counts.open:
        return False
    if counts.changed + counts.new:
        return True
    return counts.removed > 0 and counts.removed_approved == counts.removed


def review_after_comparison(counts: ReviewCounts) -> ReviewState:
    """Return the first review state: not required, carried over (approved), or unreviewed.

    ``counts`` already includes carried-over approvals; a removal counts as covered only when its
    own approval was carried over.
    """
    if counts.pending:
        return UNREVIEWED
    if not counts.differences and not counts.failed:
        return NOT_REQUIRED
    covered = finalizes(counts) and counts.removed_approved == counts.removed
    return APPROVED if covered else UNREVIEWED


def review_after_decision(current: str, decision: Decision, counts: ReviewCounts) -> ReviewState:
    """Return the build's review state after a decision on one screenshot or story.

    A rejection finalizes nothing, but a build with a rejected difference is no longer
    approved. A rejected build stays rejected until everything is approved.
    """
    if decision == APPROVED and finalizes(counts):
        return APPROVED
    # Approving one screenshot does not make a rejected build undecided again.
    if current == REJECTED:
        return REJECTED
    if current == APPROVED and decision == APPROVED:
        return APPROVED
    if current == NOT_REQUIRED and not counts.differences:
        return NOT_REQUIRED
    return UNREVIEWED


def counts_after(counts: ReviewCounts, changes: Iterable[tuple[str, str, str]]) -> ReviewCounts:
    """Return the counts after changes of decisions: (diff state, decision before, after) each."""
    opened = accepted = rejected = 0
    for diff_state, before, after in changes:
        approvals = (after == APPROVED) - (before == APPROVED)
        opened -= approvals * (diff_state in BLOCKING)
        accepted += approvals * (diff_state == REMOVED)
        rejected += ((after == REJECTED) - (before == REJECTED)) * (diff_state in DIFFERENCES)
    return replace(
        counts,
        open=counts.open + opened,
        removed_approved=counts.removed_approved + accepted,
        rejected=counts.rejected + rejected,
    )


def pairs_after(
    pairs: Mapping[tuple[str, str], int], changes: Iterable[tuple[str, str, str]]
) -> Counter[tuple[str, str]]:
    """Return the numbers by diff state and decision after changes as in ``counts_after``."""
    after = Counter(pairs)
    for diff_state, former, decision in changes:
        after[diff_state, former] -= 1
        after[diff_state, decision] += 1
    return after


def creates_version(current: str, counts: ReviewCounts, *, accepts_removal: bool) -> bool:
    """Return whether approving single screenshots creates a version of the baseline.

    A repeated approval in an approved build must not bring its whole set back after newer ones; but
    a newly accepted removal has to leave the baseline.
    """
    approved = review_after_decision(current, APPROVED, counts) == APPROVED
    return approved and (current != APPROVED or accepts_removal)


def require_not_approved(review_state: str) -> None:
    """Raise BuildApprovedError if decisions of a build in this state cannot be undone."""
    if review_state == APPROVED:
        raise BuildApprovedError(
            "This build is approved, so its decisions cannot be cleared or undone. "
            "To go back, restore an earlier version of the baseline."
        )


def review_after_clearing(current: str, counts: ReviewCounts) -> ReviewState:
    """Return the build's review state after decisions were cleared; ``counts`` exclude them.

    A rejected build stays rejected while one of its screenshots is rejected.
    """
    require_not_approved(current)
    if current == NOT_REQUIRED:
        return NOT_REQUIRED
    return REJECTED if current == REJECTED and counts.rejected else UNREVIEWED


def require_undecided_after_undo(state: str, counts: ReviewCounts) -> None:
    """Raise ConflictError if an undo to ``state`` and ``counts`` would approve the build."""
    if state == APPROVED or finalizes(counts):
        raise ConflictError(
            "Undoing this would leave the build approved, and only an approval may do that. "
            "Approve the screenshots instead."
        )


def review_after_recomparison(current: str, counts: ReviewCounts) -> ReviewState:
    """Return the review state after a re-comparison: unreviewed or not required."""
    if current in {APPROVED, REJECTED}:
        raise ConflictError("This build is already decided, so it is not compared again.")
    if counts.differences or counts.failed or counts.pending:
        return UNREVIEWED
    return NOT_REQUIRED


def is_rollback(build_number: int, newest_approved_number: int | None) -> bool:
    """Return whether the build is older than the build that set the baseline; rule 5."""
    return newest_approved_number is not None and build_number < newest_approved_number

"""What a state change of a build or screenshot means; pure. Rules 4 and 7 of the design."""

from dataclasses import dataclass
from typing import Final, Literal

from visual_review.kernel.errors import ConflictError

Status = Literal["uploading", "processing", "completed", "failed", "expired"]
DiffState = Literal["pending", "unchanged", "changed", "new", "removed", "failed"]
Decision = Literal["approved", "rejected"]
ReviewState = Literal["unreviewed", "approved", "rejected", "not_required"]

UPLOADING: Final = "uploading"
PROCESSING: Final = "processing"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
EXPIRED: Final = "expired"
PUBLISHED: Final = (PROCESSING, COMPLETED, FAILED)

APPROVED: Final = "approved"
REJECTED: Final = "rejected"
UNREVIEWED: Final = "unreviewed"
NOT_REQUIRED: Final = "not_required"

CARRIED_OVER: Final = "carried_over"
DIFFERENCES: Final = ("changed", "new", "removed")
BLOCKING: Final = ("changed", "new")


@dataclass(frozen=True)
class ReviewCounts:
    """How many screenshots of a build stand where; those taken for detection left out.

    ``open`` are the changed and new ones that are not approved.
    """

    changed: int = 0
    new: int = 0
    removed: int = 0
    failed: int = 0
    unchanged: int = 0
    pending: int = 0
    open: int = 0
    removed_approved: int = 0

    @property
    def differences(self) -> int:
        return self.changed + self.new + self.removed


def require_decidable(status: str) -> None:
    """Raise ConflictError unless a build of this status takes decisions."""
    if status != COMPLETED:
        raise ConflictError(
            f"This build is '{status}', and only a completed build can be decided. "
            + _HOW_TO_DECIDE.get(status, "")
        )


_HOW_TO_DECIDE: Final = {
    UPLOADING: "Wait until CI has uploaded all screenshots.",
    PROCESSING: "Wait until the comparison has ended.",
    FAILED: "Publish again.",
    EXPIRED: "Its uploads never finished; publish again.",
}


def require_reviewable(diff_state: str, *, detection_only: bool = False) -> None:
    """Raise ConflictError for a screenshot that takes no decision."""
    if detection_only:
        raise ConflictError(
            "This screenshot was taken only to measure what the product can do, and is not "
            "part of the review."
        )
    if diff_state == "failed":
        raise ConflictError(
            "This screenshot failed, so there is no picture to decide on. "
            "Mend the story and publish again, or accept the failure with approve_build."
        )
    if diff_state == "pending":
        raise ConflictError("This screenshot was not compared yet. Wait for the build to complete.")


def finalizes(counts: ReviewCounts) -> bool:
    """Whether decisions on single screenshots have made the build approved.

    Removed screenshots do not hold up changed and new ones; a build of removals alone needs
    them approved; one with failures needs ``approve_build``.
    """
    if counts.failed or counts.pending or counts.open:
        return False
    if counts.changed + counts.new:
        return True
    return counts.removed > 0 and counts.removed_approved == counts.removed


def review_after_comparison(counts: ReviewCounts) -> ReviewState:
    """Where review starts: not required, carried over (approved), or unreviewed.

    ``counts`` has the carried-over approvals in it already; a removal counts as covered only
    when it was carried over itself.
    """
    if counts.pending:
        return UNREVIEWED
    if not counts.differences and not counts.failed:
        return NOT_REQUIRED
    covered = finalizes(counts) and counts.removed_approved == counts.removed
    return APPROVED if covered else UNREVIEWED


def review_after_decision(current: str, decision: Decision, counts: ReviewCounts) -> ReviewState:
    """The build's review state after one screenshot, or one story, was decided.

    A rejection finalizes nothing, but a build that holds a rejected difference is not
    approved any more. A rejected build stays so until all is approved.
    """
    if decision == APPROVED and finalizes(counts):
        return APPROVED
    # One picture somebody liked makes no rejected build undecided again.
    if current == REJECTED:
        return REJECTED
    if current == APPROVED and decision == APPROVED:
        return APPROVED
    if current == NOT_REQUIRED and not counts.differences:
        return NOT_REQUIRED
    return UNREVIEWED


def review_after_recomparison(current: str, counts: ReviewCounts) -> ReviewState:
    """A re-comparison may make an undecided build not required or undo that, and no more."""
    if current in {APPROVED, REJECTED}:
        raise ConflictError("A decided build is not compared again.")
    if counts.differences or counts.failed or counts.pending:
        return UNREVIEWED
    return NOT_REQUIRED


def is_rollback(build_number: int, newest_approved_number: int | None) -> bool:
    """Whether approving this build puts an older one behind a newer one's baseline; rule 5."""
    return newest_approved_number is not None and build_number < newest_approved_number

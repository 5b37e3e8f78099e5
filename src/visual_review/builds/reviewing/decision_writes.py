"""The writes that decisions are made of: rows of screenshots, the review log, the build's state.

Always in this order: lock the branch's baseline, lock the build, write rows.
"""

from dataclasses import dataclass
from typing import Any, Final

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Baseline, Build
from visual_review.builds.reviewing.approval import Decider, finalize
from visual_review.builds.reviewing.decision_statement import (
    COMMENT_OF_REJECTION,
    ShotCondition,
    ShotDecision,
    write_shot_decision,
)
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    WrittenEntries,
    log_build_decision,
)
from visual_review.builds.states import (
    APPROVED,
    CLEARED,
    REJECTED,
    REMOVED,
    Decision,
    ReviewCounts,
    require_decidable,
)
from visual_review.kernel.clock import now

UNDECIDED: Final[dict[str, Any]] = {
    "review_decision": "",
    "decision_source": "",
    "decided_by_id": "",
    "decided_by_name": "",
    "decided_client": "",
    "decided_at": None,
    "comment": "",
    "carried_from_id": "",
}


@dataclass(frozen=True)
class CreatedVersion:
    """What an approval of the build did. ``entry`` is the last one that it wrote to the log."""

    version: int
    rolled_back: bool
    accepted_removals: int
    entry: int


def lock_for_decision(organization_id: str, build_id: str) -> tuple[Baseline, Build]:
    """Lock and return baseline and build; raises ConflictError if it cannot be decided."""
    baseline, build = lock_build_of(organization_id, build_id)
    require_decidable(build.status)
    return baseline, build


def write_decision(
    build: Build,
    shots: ShotCondition,
    decision: Decision,
    decider: Decider,
    comment: str | None = None,
) -> WrittenEntries:
    """Write the decision to every screenshot, and to the review log."""
    return write_shot_decision(shot_decision(build, shots, decision, decider, comment))


def shot_decision(
    build: Build,
    shots: ShotCondition,
    decision: Decision,
    decider: Decider,
    comment: str | None = None,
) -> ShotDecision:
    logged = LoggedDecision.by(decider, decision, comment or "")
    return ShotDecision(build, shots, _columns(decision, decider, comment), logged)


def _columns(decision: Decision, decider: Decider, comment: str | None) -> dict[str, object]:
    columns: dict[str, object] = {
        "review_decision": decision,
        "decision_source": decider.source,
        "decided_by_id": decider.id,
        "decided_by_name": decider.name,
        "decided_client": decider.client,
        "decided_at": now(),
        "carried_from_id": "",
        # An approval clears the comment of an earlier rejection; the log keeps it.
        "comment": comment or "",
    }
    if comment is None and decision == REJECTED:
        columns["comment"] = COMMENT_OF_REJECTION
    return columns


def clear_decisions(build: Build, shots: ShotCondition, decider: Decider) -> WrittenEntries:
    """Make the screenshots undecided again; the log keeps what was decided, and the clearing."""
    cleared = LoggedDecision.by(decider, CLEARED)
    return write_shot_decision(ShotDecision(build, shots, UNDECIDED, cleared))


def accept_removals(build: Build, decider: Decider, counts: ReviewCounts) -> int:
    """Approve the undecided removals of a build that its screenshots approve; return all.

    Finalizing accepts them, and the log records it. ``counts`` are those before.
    """
    if counts.removed == counts.removed_approved:
        return counts.removed
    undecided = ShotCondition.by_state(build, (REMOVED,)).decided("")
    written = write_decision(build, undecided, APPROVED, decider)
    return counts.removed_approved + written.count


def create_version(
    build: Build,
    baseline: Baseline,
    decider: Decider,
    accepted_removals: int,
    replaced_number: int | None,
) -> CreatedVersion:
    """Approve the build, whose screenshots are written, and log it."""
    done = finalize(build, baseline, decider, replaced_number)
    entry = log_build_decision(build, LoggedDecision.by(decider, APPROVED))
    return CreatedVersion(done.version.sequence, done.rolled_back, accepted_removals, entry)

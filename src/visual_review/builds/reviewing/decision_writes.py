"""The writes that decisions are made of: rows of screenshots, the review log, the build's state.

Always in this order: lock the branch's baseline, lock the build, write rows.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from visual_review.builds.counts import count_screenshots
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Baseline, BaselineMove, Build, Screenshot
from visual_review.builds.reviewing.approval import Decider, finalize
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    WrittenEntries,
    log_build_decision,
    log_one_decision,
)
from visual_review.builds.states import (
    APPROVED,
    CLEARED,
    REMOVED,
    Decision,
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


def lock_for_decision(build_id: str) -> tuple[Baseline, Build]:
    """Lock and return baseline and build; raises ConflictError if it cannot be decided."""
    baseline, build = lock_build(build_id)
    require_decidable(build.status)
    return baseline, build


def write_decision(
    build: Build,
    screenshot_ids: Collection[str],
    decision: Decision,
    decider: Decider,
    comment: str | None = None,
) -> WrittenEntries:
    """Write the decision to every screenshot, and to the review log."""
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
        # An approval clears the comment of an earlier rejection; the log keeps it.
        values["comment"] = comment or ""
    _update(screenshot_ids, values)
    logged = LoggedDecision.by(decider, decision, comment or "")
    return log_one_decision(build, screenshot_ids, logged)


def clear_decisions(
    build: Build, screenshot_ids: Collection[str], decider: Decider
) -> WrittenEntries:
    """Make the screenshots undecided again; the log keeps what was decided, and the clearing."""
    _update(screenshot_ids, UNDECIDED)
    return log_one_decision(build, screenshot_ids, LoggedDecision.by(decider, CLEARED))


def _update(screenshot_ids: Collection[str], values: dict[str, object]) -> None:
    Screenshot.objects.filter(pk__in=screenshot_ids).update(**values)


def accept_removals(build: Build, decider: Decider) -> int:
    """Approve the undecided removals of a build that its screenshots approve; return all.

    Finalizing accepts them, and the log records it.
    """
    undecided = Screenshot.objects.filter(
        build=build, diff_state=REMOVED, detection_only=False, review_decision=""
    )
    write_decision(build, list(undecided.values_list("pk", flat=True)), APPROVED, decider)
    return count_screenshots(build).removed_approved


def create_version(
    build: Build, baseline: Baseline, decider: Decider, accepted_removals: int
) -> CreatedVersion:
    """Approve the build, whose screenshots are written, and log it."""
    done = finalize(build, baseline, decider)
    entry = log_build_decision(build, LoggedDecision.by(decider, APPROVED))
    return CreatedVersion(done.version.sequence, done.rolled_back, accepted_removals, entry)


def is_current_baseline(baseline: Baseline, build: Build) -> bool:
    """Return whether this build created the current version of the branch's baseline."""
    return BaselineMove.objects.filter(
        baseline=baseline, sequence=baseline.last_move, build=build
    ).exists()

"""The rules for deleting builds and baselines after the limit, and for keeping them; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

# The longest extension after the limit for a build that may still be needed. Without a maximum,
# each abandoned branch would keep its last build forever.
MAX_EXTENSION: Final = timedelta(days=180)

Reason = Literal[
    "recent",
    "in progress",
    "baseline",
    "blocks carry-over",
    "awaits a decision",
    "may be carried over",
]


@dataclass(frozen=True)
class RetentionCandidate:
    """A build for the retention rules."""

    created_at: datetime
    in_progress: bool = False
    sets_baseline: bool = False
    # The build rejects a pair approved before in another existing build; without the rejection, the
    # approval would carry over.
    blocks_carry_over: bool = False
    # The build is the newest of its branch, and undecided.
    awaits_decision: bool = False
    # The build has a decision on a pair that the next push or the merge may contain again.
    may_be_carried: bool = False
    # Closed or merged some time ago.
    pull_request_ended: bool = False


def reason_to_keep(build: RetentionCandidate, before: datetime) -> Reason | None:
    """Return why a build is kept when builds before ``before`` are deleted; None if not kept."""
    always: tuple[tuple[bool, Reason], ...] = (
        (build.in_progress, "in progress"),
        (build.sets_baseline, "baseline"),
        (build.created_at >= before, "recent"),
        (build.blocks_carry_over, "blocks carry-over"),
    )
    temporary: tuple[tuple[bool, Reason], ...] = (
        (build.awaits_decision, "awaits a decision"),
        (build.may_be_carried, "may be carried over"),
    )
    past_extension = build.pull_request_ended or build.created_at < before - MAX_EXTENSION
    reasons = always if past_extension else (*always, *temporary)
    return next((reason for applies, reason in reasons if applies), None)


BaselineReason = Literal[
    "default branch",
    "no provider",
    "branch exists",
    "open pull request",
    "build in progress",
    "recent",
]


@dataclass(frozen=True)
class BaselineCandidate:
    """A branch's baseline for the retention rules."""

    # Since when the branch is known to be gone; None if not gone.
    deleted_at: datetime | None
    is_default: bool = False
    has_provider: bool = True
    exists_at_provider: bool = False
    # An open pull request has the branch as its base branch.
    is_targeted: bool = False
    # An unfinished build belongs to the branch, or is compared with its baseline.
    in_progress: bool = False


def reason_to_keep_baseline(
    baseline: BaselineCandidate, before: datetime | None
) -> BaselineReason | None:
    """Return why a baseline is kept although its branch is gone; None if it is not kept.

    Baselines of branches gone before ``before`` are deleted; without ``before``, nothing is
    deleted.
    """
    recent = baseline.deleted_at is None or before is None or baseline.deleted_at >= before
    reasons: tuple[tuple[bool, BaselineReason], ...] = (
        (baseline.is_default, "default branch"),
        (not baseline.has_provider, "no provider"),
        (baseline.exists_at_provider, "branch exists"),
        (baseline.is_targeted, "open pull request"),
        (baseline.in_progress, "build in progress"),
        (recent, "recent"),
    )
    return next((reason for applies, reason in reasons if applies), None)

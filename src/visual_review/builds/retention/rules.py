"""Which builds and baselines are deleted after the limit, and which stay; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

# How long after the limit a build that may still be needed is kept at most. Without a maximum,
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
    """A build as the retention rules see it.

    ``blocks_carry_over``: it has a rejection of what another existing build approved before;
    without it that approval would carry over. ``awaits_decision``: the newest of its branch, and
    undecided. ``may_be_carried``: it has a decision on a pair that the next push or the merge may
    contain again. ``pull_request_ended``: its pull request was closed or merged some time ago.
    """

    created_at: datetime
    in_progress: bool = False
    sets_baseline: bool = False
    blocks_carry_over: bool = False
    awaits_decision: bool = False
    may_be_carried: bool = False
    pull_request_ended: bool = False


def reason_to_keep(build: RetentionCandidate, before: datetime) -> Reason | None:
    """Return why a build is kept when those before ``before`` are deleted; None if it is not."""
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
    """A branch's baseline as the retention rules see it.

    ``deleted_at`` is since when the branch is known to be gone; None if it is not.
    ``is_targeted``: an open pull request has it as its base branch. ``in_progress``: an unfinished
    build belongs to the branch, or is compared with its baseline.
    """

    deleted_at: datetime | None
    is_default: bool = False
    has_provider: bool = True
    exists_at_provider: bool = False
    is_targeted: bool = False
    in_progress: bool = False


def reason_to_keep_baseline(
    baseline: BaselineCandidate, before: datetime | None
) -> BaselineReason | None:
    """Return why it is kept when branches gone before ``before`` lose theirs; None if it is not.

    Without ``before``, nothing is deleted.
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

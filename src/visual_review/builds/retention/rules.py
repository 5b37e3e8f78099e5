"""Which builds are deleted when they are older than the limit, and which stay; pure."""

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

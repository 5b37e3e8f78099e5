"""What goes when it is older than its limit, and what stays all the same; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

# How long after its limit a build that somebody may still need is held at most. Without an end,
# each abandoned branch would keep its last build for ever.
LONGEST_LIMIT_DAYS: Final = timedelta(days=180)

Reason = Literal[
    "young", "under way", "baseline", "rejects again", "awaits a decision", "may be carried over"
]


@dataclass(frozen=True)
class Facts:
    """A build as the rule sees it.

    ``rejects_again``: it holds a rejection of what another build, which is still there, approved
    before; without it that approval would carry over. ``awaits_decision``: the newest of its
    branch, and undecided. ``may_be_carried``: it holds a decision on a pair that the next push
    or the merge may show again. ``ended``: its pull request is known to be closed or merged for some time.
    """

    created_at: datetime
    under_way: bool = False
    sets_baseline: bool = False
    rejects_again: bool = False
    awaits_decision: bool = False
    may_be_carried: bool = False
    ended: bool = False


def kept_because(build: Facts, before: datetime) -> Reason | None:
    """Why a build stays when all older than ``before`` go; None when it goes."""
    always: tuple[tuple[bool, Reason], ...] = (
        (build.under_way, "under way"),
        (build.sets_baseline, "baseline"),
        (build.created_at >= before, "young"),
        (build.rejects_again, "rejects again"),
    )
    a_while: tuple[tuple[bool, Reason], ...] = (
        (build.awaits_decision, "awaits a decision"),
        (build.may_be_carried, "may be carried over"),
    )
    released = build.ended or build.created_at < before - LONGEST_LIMIT_DAYS
    reasons = always if released else (*always, *a_while)
    return next((reason for applies, reason in reasons if applies), None)

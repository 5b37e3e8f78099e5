"""Which earlier decisions apply to a pair of images; pure. Rule 6 of the design."""

from dataclasses import dataclass
from datetime import datetime

from visual_review.builds.states import APPROVED


@dataclass(frozen=True)
class PairDecision:
    """The last decision by a person or key on a pair (left image or none -> right or none)."""

    approved: bool
    decided_at: datetime
    screenshot_id: str
    by_id: str = ""
    by_name: str = ""
    client: str = ""


@dataclass(frozen=True)
class PairHistory:
    """The history of a screenshot's pair on the branch it is compared with.

    ``left_since`` is when the left side took effect there (None: it was never different).
    ``right_was_baseline`` is true if the right image was this branch's baseline before.
    """

    last: PairDecision | None
    left_since: datetime | None
    right_was_baseline: bool


def carries_over(history: PairHistory) -> bool:
    """Return whether a changed, new or removed screenshot starts approved; rule 6."""
    if history.right_was_baseline or history.last is None or not history.last.approved:
        return False
    # A decision before the left side took effect was about another state of the branch.
    return history.left_since is None or history.last.decided_at >= history.left_since


@dataclass(frozen=True)
class EarlierDecision:
    """A screenshot's decision before its build was compared with another branch's baseline.

    ``same_pair`` is true if both sides have the same images as before; ``screenshot_id`` is the
    screenshot that was decided.
    """

    decision: str
    decided_at: datetime
    same_pair: bool
    screenshot_id: str


def still_holds(earlier: EarlierDecision, history: PairHistory) -> bool:
    """Return whether a decision holds for the new base branch; ``history`` is the pair's there.

    The decision was made on this pair in this build. A later decision on the new base branch takes
    precedence, and an image that was its baseline before needs a new review.
    """
    if not earlier.same_pair:
        return False
    last = history.last
    # The decision's own entry in the log does not count as a later one.
    elsewhere = last is not None and last.screenshot_id != earlier.screenshot_id
    if last is not None and elsewhere and last.decided_at > earlier.decided_at:
        return False
    return earlier.decision != APPROVED or not history.right_was_baseline

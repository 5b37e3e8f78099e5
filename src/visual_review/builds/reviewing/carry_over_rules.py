"""Which earlier decisions still count for a pair of images; pure. Rule 6 of the design."""

from dataclasses import dataclass
from datetime import datetime

from visual_review.builds.states import APPROVED


@dataclass(frozen=True)
class PairDecision:
    """The last decision a person or key made on a pair (left image or none -> right or none)."""

    approved: bool
    decided_at: datetime
    screenshot_id: str
    by_id: str = ""
    by_name: str = ""
    client: str = ""


@dataclass(frozen=True)
class PairHistory:
    """What is known of one screenshot's pair on the branch it is compared with.

    ``left_since`` is when the left side took effect there (None: it never was otherwise).
    ``right_was_baseline`` tells that the right image was this branch's baseline before.
    """

    last: PairDecision | None
    left_since: datetime | None
    right_was_baseline: bool


def carries_over(history: PairHistory) -> bool:
    """Whether a changed, new or removed screenshot starts approved; rule 6."""
    if history.right_was_baseline or history.last is None or not history.last.approved:
        return False
    # A decision from before the left side took effect judged another state of the branch.
    return history.left_since is None or history.last.decided_at >= history.left_since


@dataclass(frozen=True)
class EarlierDecision:
    """A screenshot's decision before its build was compared with another branch's baseline.

    ``same_pair`` tells that both sides show the very same images as before; ``screenshot_id`` is
    what was decided on.
    """

    decision: str
    decided_at: datetime
    same_pair: bool
    screenshot_id: str


def stays(earlier: EarlierDecision, history: PairHistory) -> bool:
    """Whether a decision holds for the new target too; ``history`` is the pair's there.

    Somebody looked at this very pair in this very build. What was decided on it later in the
    new target counts more, and a picture that was thrown out there before is looked at anew.
    """
    if not earlier.same_pair:
        return False
    last = history.last
    # Its own place in the log is no later decision, also when it was kept before.
    elsewhere = last is not None and last.screenshot_id != earlier.screenshot_id
    if last is not None and elsewhere and last.decided_at > earlier.decided_at:
        return False
    return earlier.decision != APPROVED or not history.right_was_baseline

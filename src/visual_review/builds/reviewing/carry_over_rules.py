"""The earlier decisions valid for a pair of images; pure. Rule 6 of the design.

An approval carries over no farther than its reviewer saw.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeVar

from visual_review.builds.source import BranchKey
from visual_review.builds.states import APPROVED, REJECTED

# A merge queue tests pull requests together on branches of its own, and only approved ones.
MERGE_QUEUE: Final = "gh-readonly-queue/"


class Merge(Enum):
    """Whether a pull request is merged into the branch a build is compared with."""

    MERGED = "merged"
    NOT_MERGED = "not merged"
    # Closed without a merge: the approved changes were not wanted.
    CLOSED = "closed"
    # No Git provider reported the state, or the build has no pull request.
    UNKNOWN = "unknown"


class ReviewPlace(NamedTuple):
    """The place of a decision: the pull request of a build, and its branch."""

    branch: BranchKey
    pull_request: int | None


@dataclass(frozen=True)
class ApprovalScope:
    """The build at ``place``, compared with the baseline of ``base``.

    ``across``: approvals carry over from one pull request to others.
    """

    place: ReviewPlace
    base: BranchKey
    across: bool = False

    def counts(self, decided: ReviewPlace, merge: Merge) -> bool:
        """Return whether an approval made at ``decided`` applies to the build."""
        if self._is_same_change(decided):
            return True
        # Outsiders must not get approvals made for others.
        was_closed = merge is Merge.CLOSED and decided.pull_request is not None
        if self.place.branch.head_repository or was_closed:
            return False
        if self.across or merge is Merge.MERGED:
            return True
        if self.place.pull_request is None and self.place.branch.branch.startswith(MERGE_QUEUE):
            return True
        # The base branch's own approvals; and its builds show only changes merged somehow.
        return decided == ReviewPlace(self.base, None) or (
            self.place == ReviewPlace(self.base, None) and merge is Merge.UNKNOWN
        )

    def _is_same_change(self, decided: ReviewPlace) -> bool:
        if self.place.pull_request is None or decided.pull_request is None:
            # CI may build the branch before the pull request is opened.
            return self.place.branch == decided.branch
        return self.place.pull_request == decided.pull_request


class PlacedDecision(Protocol):
    @property
    def decision(self) -> str: ...

    @property
    def place(self) -> ReviewPlace: ...


DecisionT = TypeVar("DecisionT", bound=PlacedDecision)


def newest_that_counts(
    decisions: Iterable[DecisionT], counts: Callable[[ReviewPlace], bool]
) -> DecisionT | None:
    """Return the valid decision on a pair; ``decisions`` are in the order they were made.

    A later rejection at any place ends the carry-over, unless the same place decided again.
    """
    applying: DecisionT | None = None
    elsewhere: dict[ReviewPlace, DecisionT] = {}
    for each in decisions:
        if counts(each.place):
            applying = each
            # An earlier rejection elsewhere does not take precedence.
            elsewhere.clear()
        else:
            elsewhere[each.place] = each
    rejected = [each for each in elsewhere.values() if each.decision == REJECTED]
    return rejected[-1] if rejected and applying is not None else applying


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
    """The history of a screenshot's pair on the branch to compare with.

    ``left_since`` is when the left side took effect there (None: never different).
    ``right_was_baseline`` is true if the right image was an earlier baseline of the branch.
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
    decided screenshot.
    """

    decision: str
    decided_at: datetime
    same_pair: bool
    screenshot_id: str


def still_holds(earlier: EarlierDecision, history: PairHistory) -> bool:
    """Return whether a decision holds for the new base branch; ``history`` is the pair's there.

    The decision was made on the pair in the same build. A later decision on the new base branch
    takes precedence, and an earlier baseline image of the branch needs a new review.
    """
    if not earlier.same_pair:
        return False
    last = history.last
    # The decision's own entry in the log does not count as a later one.
    elsewhere = last is not None and last.screenshot_id != earlier.screenshot_id
    if last is not None and elsewhere and last.decided_at > earlier.decided_at:
        return False
    return earlier.decision != APPROVED or not history.right_was_baseline

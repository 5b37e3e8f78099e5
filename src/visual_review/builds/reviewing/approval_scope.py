"""Which decisions count for a build if approvals do not carry over across pull requests; pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, Protocol, TypeVar

from visual_review.builds.source import BranchKey
from visual_review.builds.states import REJECTED

# A merge queue tests pull requests together on branches of its own, and only approved ones.
MERGE_QUEUE: Final = "gh-readonly-queue/"


class Merge(Enum):
    """Whether a pull request is merged into the branch that a build is compared with."""

    MERGED = "merged"
    NOT_MERGED = "not merged"
    # No Git provider reported the state, or the build has no pull request.
    UNKNOWN = "unknown"


class ReviewPlace(NamedTuple):
    """Where a decision is made: the pull request of a build, and its branch."""

    branch: BranchKey
    pull_request: int | None


@dataclass(frozen=True)
class ApprovalScope:
    """The build at ``place``, which is compared with the baseline of ``base``."""

    place: ReviewPlace
    base: BranchKey

    def counts(self, decided: ReviewPlace, merge: Merge) -> bool:
        """Return whether an approval made there applies to this build."""
        if self._is_same_change(decided) or merge is Merge.MERGED:
            return True
        if self.place.pull_request is None and self.place.branch.branch.startswith(MERGE_QUEUE):
            return True
        # The base branch's own approvals; and what its builds show was merged somehow.
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
    """Return the decision on a pair that applies; ``decisions`` are in the order they were made.

    A later rejection ends the carry-over wherever it was made, unless that place decided again.
    """
    applying: DecisionT | None = None
    elsewhere: dict[ReviewPlace, DecisionT] = {}
    for each in decisions:
        if counts(each.place):
            applying = each
            # What was rejected elsewhere before does not take precedence.
            elsewhere.clear()
        else:
            elsewhere[each.place] = each
    rejected = [each for each in elsewhere.values() if each.decision == REJECTED]
    return rejected[-1] if rejected and applying is not None else applying

"""Choose the branch whose baseline a build is compared with; pure. Rule 3 on baselines."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from visual_review.builds.source import BranchKey, BuildSource

Rule = Literal["target_branch", "own_branch", "default_branch", "none"]


@dataclass(frozen=True)
class BaselineChoice:
    """The rule that applied, and its branch; None with the rule ``none``."""

    rule: Rule
    key: BranchKey | None


def list_candidates(source: BuildSource, default_branch: str) -> tuple[BaselineChoice, ...]:
    """Return the possible branches, the preferred one first."""
    default = BaselineChoice("default_branch", BranchKey(default_branch))
    # A pull request is never compared with its own branch: only its changes to the base branch
    # count.
    if not source.is_pull_request:
        return (BaselineChoice("own_branch", source.own), default)
    if not source.base_branch:
        return (default,)
    return (BaselineChoice("target_branch", BranchKey(source.base_branch)), default)


def choose_baseline(
    source: BuildSource, default_branch: str, existing: Collection[BranchKey]
) -> BaselineChoice:
    """Choose the first candidate in ``existing``, the branches whose baseline has a version."""
    for candidate in list_candidates(source, default_branch):
        if candidate.key in existing:
            return candidate
    return BaselineChoice("none", None)

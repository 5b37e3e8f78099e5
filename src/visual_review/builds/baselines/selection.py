"""Which branch's baseline a build is compared with; pure. Rule 3 of the design on baselines."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, NamedTuple

Rule = Literal["target_branch", "own_branch", "default_branch", "none"]


class BranchKey(NamedTuple):
    """A branch; ``head_repository`` is empty for our own repository and names a fork else.

    A fork's ``main`` is another branch than ours.
    """

    branch: str
    head_repository: str = ""


@dataclass(frozen=True)
class Origin:
    """Where a build comes from.

    ``target_branch`` is the branch of our repository that a pull request wants to enter,
    empty where CI does not know it.
    """

    own: BranchKey
    default_branch: str
    is_pull_request: bool = False
    target_branch: str = ""


@dataclass(frozen=True)
class BaselineChoice:
    """The rule that applied, and the branch it named; None with the rule ``none``."""

    rule: Rule
    key: BranchKey | None


def candidates(origin: Origin) -> tuple[BaselineChoice, ...]:
    """The branches that come into question, the best first."""
    default = BaselineChoice("default_branch", BranchKey(origin.default_branch))
    # A pull request is never compared with its own branch: what it would change in its target
    # counts.
    if not origin.is_pull_request:
        return (BaselineChoice("own_branch", origin.own), default)
    if not origin.target_branch:
        return (default,)
    return (BaselineChoice("target_branch", BranchKey(origin.target_branch)), default)


def choose(origin: Origin, existing: Collection[BranchKey]) -> BaselineChoice:
    """The first candidate of ``existing``, the branches whose baseline has a move."""
    for candidate in candidates(origin):
        if candidate.key in existing:
            return candidate
    return BaselineChoice("none", None)

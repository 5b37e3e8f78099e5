"""Where a build comes from; pure."""

from dataclasses import dataclass
from typing import NamedTuple

from visual_review.repositories.names import is_same_name


class BranchKey(NamedTuple):
    """A branch; ``head_repository`` names a fork, and is empty for the connected repository.

    A fork's ``main`` is a different branch from ours.
    """

    branch: str
    head_repository: str = ""


@dataclass(frozen=True, kw_only=True)
class BuildSource:
    """The branch of a build, and its pull request; ``head_repository`` is set for forks only."""

    branch: str
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""

    def in_repository(self, full_name: str) -> "BuildSource":
        """Return the same source without the connected repository's own name."""
        # CI may send the connected repository as the head, and providers ignore the case of names.
        if not is_same_name(self.head_repository, full_name):
            return self
        return BuildSource(
            branch=self.branch, pull_request=self.pull_request, base_branch=self.base_branch
        )

    @property
    def own(self) -> BranchKey:
        return BranchKey(self.branch, self.head_repository)

    def is_of(self, default_branch: str) -> bool:
        """Whether the source is the default branch itself."""
        return self.own == BranchKey(default_branch) and not self.is_pull_request

    @property
    def is_pull_request(self) -> bool:
        # Some CI systems know the base branch without the number; the base branch is enough.
        return self.pull_request is not None or bool(self.base_branch)

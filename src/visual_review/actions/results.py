"""Results shared by several actions, made from database rows."""

from typing import Self

from pydantic import Field

from visual_review.actions.schema import ActionResult, Timestamp
from visual_review.kernel.clock import rfc3339
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import RepositoryRow


class RepositoryResult(ActionResult):
    """A connected repository."""

    id: str = Field(
        description="Id of the repository; `repoId` in other actions.",
        examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"],
    )
    full_name: str = Field(
        description="Name of the repository at the Git provider, with the owner's name.",
        examples=["acme/web"],
    )
    default_branch: str = Field(
        description="The branch that builds are compared with where no other applies.",
        examples=["main"],
    )
    created_at: Timestamp = Field(
        description="When the repository was connected.", examples=["2026-02-02T08:15:00.000Z"]
    )

    @classmethod
    def of(cls, row: Repository | RepositoryRow) -> Self:
        return cls(
            id=row.id,
            full_name=row.full_name,
            default_branch=row.default_branch,
            created_at=rfc3339(row.created_at),
        )

"""Results that several actions share, made from database rows."""

from typing import Self

from visual_review.actions.schema import ActionResult
from visual_review.kernel.clock import rfc3339
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import RepositoryRow


class RepositoryResult(ActionResult):
    id: str
    full_name: str
    default_branch: str
    created_at: str

    @classmethod
    def of(cls, row: Repository | RepositoryRow) -> Self:
        return cls(
            id=row.id,
            full_name=row.full_name,
            default_branch=row.default_branch,
            created_at=rfc3339(row.created_at),
        )

"""Settings for a repository's messages to its Git provider."""

from dataclasses import asdict, dataclass, fields
from typing import Literal, Self

from visual_review.repositories.models import Repository

DueStatus = Literal["pending", "failure"]


@dataclass(frozen=True)
class HostSettings:
    """``review_due_status`` is the state of the commit status while a review is due.

    ``allows_skip``: a pull request's build without captures passes, except from forks.
    """

    posts_comments: bool
    comment_pictures: bool
    review_due_status: str
    allows_skip: bool

    @classmethod
    def of(cls, repository: Repository) -> Self:
        return cls(**{field.name: getattr(repository, field.name) for field in fields(cls)})


def store_host_settings(repository: Repository, settings: HostSettings) -> HostSettings:
    """Store ``settings`` for ``repository``; returns the previous ones."""
    # A weaker lock: others insert references to the row while holding the locks taken next here.
    locked = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    before = HostSettings.of(locked)
    values = asdict(settings)
    for name, value in values.items():
        setattr(repository, name, value)
    repository.save(update_fields=list(values))
    return before

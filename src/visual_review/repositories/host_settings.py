"""What a repository tells its source host, as somebody chose it."""

from dataclasses import asdict, dataclass
from typing import Literal

from visual_review.repositories.models import Repository

DueStatus = Literal["pending", "failure"]


@dataclass(frozen=True)
class HostSettings:
    """``review_due_status`` is what the commit status says while a review is due."""

    posts_comments: bool
    comment_pictures: bool
    review_due_status: str

    def described(self) -> dict[str, object]:
        """For the audit log."""
        return {
            "postsComments": self.posts_comments,
            "commentPictures": self.comment_pictures,
            "reviewDueStatus": self.review_due_status,
        }


def host_settings_of(repository: Repository) -> HostSettings:
    return HostSettings(
        repository.posts_comments, repository.comment_pictures, repository.review_due_status
    )


def store_host_settings(repository: Repository, settings: HostSettings) -> HostSettings:
    """Write ``settings`` on ``repository``; returns what stood there before."""
    # Others refer to the row while they hold what the caller locks next, so they must not wait.
    locked = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    before = host_settings_of(locked)
    values = asdict(settings)
    for name, value in values.items():
        setattr(repository, name, value)
    repository.save(update_fields=list(values))
    return before

"""Settings for a repository's messages to its Git provider."""

from dataclasses import asdict, dataclass
from typing import Literal

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

    def as_audit_entry(self) -> dict[str, object]:
        """Return the settings as stored in the audit log."""
        return {
            "postsComments": self.posts_comments,
            "commentPictures": self.comment_pictures,
            "reviewDueStatus": self.review_due_status,
            "allowsSkip": self.allows_skip,
        }


def host_settings_of(repository: Repository) -> HostSettings:
    return HostSettings(
        repository.posts_comments,
        repository.comment_pictures,
        repository.review_due_status,
        repository.allows_skip,
    )


def store_host_settings(repository: Repository, settings: HostSettings) -> HostSettings:
    """Store ``settings`` for ``repository``; returns the previous ones."""
    # A weaker lock: others insert references to the row while holding the locks taken next here.
    locked = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    before = host_settings_of(locked)
    values = asdict(settings)
    for name, value in values.items():
        setattr(repository, name, value)
    repository.save(update_fields=list(values))
    return before

"""The known pull requests."""

from django.db import models

from visual_review.repositories.models import Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

COMMIT_LENGTH = 64


class PullRequest(models.Model):
    """The known state of a pull request, from builds, webhooks and the provider's API."""

    id = models.BigAutoField(primary_key=True)
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="pull_requests")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=500, blank=True)
    # The beginning only: a description may be as long as a book.
    description = models.TextField(blank=True, default="", db_default="")
    state = models.CharField(max_length=10, default="open")
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    head_branch = models.CharField(max_length=BRANCH_LENGTH, blank=True)
    head_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    # The last heads reported by the provider itself, the newest last.
    head_commits = models.JSONField(default=list, db_default=[])
    base_branch = models.CharField(max_length=BRANCH_LENGTH, blank=True)
    merge_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    # The provider's own time of the state, so that late events never replace newer ones; null as
    # long as only builds have reported the pull request.
    host_updated_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("repository", "number"), name="one_pull_request"),
        )

    def __str__(self) -> str:
        return f"#{self.number}"

"""The outbox: the messages to post at Git providers."""

from functools import partial

from django.db import models

from visual_review.builds.models.pull_requests import COMMIT_LENGTH
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.models import Repository


class HostMessage(models.Model):
    """A notification to the Git provider, in the outbox of its repository.

    The text is written at the time of sending.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "message")
    )
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="host_messages")
    # ``status`` (subject: commit and context), ``comment`` (the pull request's number) or
    # ``rejection`` (the review entry's id).
    kind = models.CharField(max_length=10)
    subject = models.CharField(max_length=300)
    # Messages of a stream, a pull request (``pr:5``) or a commit (``commit:...``), are delivered in
    # order. A message's stream never changes, so that no two workers deliver the same message at
    # once.
    stream = models.CharField(max_length=80)
    commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    context = models.CharField(max_length=100, blank=True)
    pull_request = models.PositiveIntegerField(null=True)
    review_entry = models.ForeignKey(
        "builds.ReviewEntry", models.SET_NULL, null=True, related_name="+"
    )
    # Grows with each change.
    revision = models.PositiveIntegerField(default=0)
    # The newest sent revision, and its content.
    sent_revision = models.PositiveIntegerField(default=0, db_column="told_revision")
    sent_content = models.JSONField(null=True, db_column="told")
    # The provider's id of the comment.
    reference = models.CharField(max_length=100, blank=True)
    # waiting, sent, failed (a person must act) or dropped (there is nothing left to send).
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.PositiveIntegerField(default=0)
    failure = models.TextField(blank=True)
    next_try_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(default=now)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("repository", "kind", "subject"), name="one_message_a_subject"
            ),
        )
        indexes = (
            models.Index(fields=("repository", "-changed_at"), name="messages_newest_first"),
            models.Index(
                fields=("changed_at",),
                name="messages_waiting",
                condition=models.Q(state="waiting"),
            ),
            models.Index(
                fields=("repository", "stream"),
                name="messages_waiting_by_stream",
                condition=models.Q(state="waiting"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

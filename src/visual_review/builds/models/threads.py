"""Conversations about a story and variant on a branch."""

from functools import partial

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH
from visual_review.builds.models.review_log import ReviewEntry
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.models import Product
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH


class Thread(models.Model):
    """Comments on a story and variant, or on a place of its image, in the builds of a branch.

    A thread outlives its builds.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "thread")
    )
    product = models.ForeignKey(Product, models.CASCADE, related_name="+", db_index=False)
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    story_id = models.CharField(max_length=NAME_LENGTH)
    title = models.CharField(max_length=500, blank=True)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    # The build in which the thread began.
    build = models.ForeignKey(Build, models.SET_NULL, null=True, related_name="+")
    # The images at the beginning of the thread.
    before_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    after_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    # A point ``{"x", "y"}`` in pixels of both images laid on top of each other.
    place = models.JSONField(null=True)
    # The number of other screenshots with the rejection that began the thread.
    more = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now)
    resolved_at = models.DateTimeField(null=True)
    resolved_by_name = models.CharField(max_length=300, blank=True)
    # Grows with every change, so that pages notice each change.
    revision = models.PositiveIntegerField(default=1)
    # Ids of the users mentioned in the comments.
    mentioned = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))

    class Meta:
        indexes = (
            models.Index(fields=("product", "head_repository", "branch"), name="threads_of_branch"),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device}"


class Comment(models.Model):
    """One comment in a thread; ``rejection`` is set for the comment of a rejection.

    A deleted comment keeps its place and author, and loses its text.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "comment")
    )
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="comments")
    author_id = models.CharField(max_length=MAX_LENGTH)
    author_name = models.CharField(max_length=300)
    # The name of the program that wrote the comment; empty on pages.
    client = models.CharField(max_length=300, blank=True)
    text = models.TextField()
    rejection = models.ForeignKey(ReviewEntry, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=now)
    edited_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"comment by {self.author_name}"

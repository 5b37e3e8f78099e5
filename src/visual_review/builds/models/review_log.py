"""The review log: every decision on a screenshot, by whom and when."""

from django.db import models

from visual_review.builds.models.baselines import Baseline
from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import Image
from visual_review.builds.models.screenshots import Screenshot
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH
from visual_review.repositories.names import NAME_LENGTH


class ReviewEntry(models.Model):
    """The review log: every decision on a screenshot (with its pair of images) or a build.

    Carried-over approvals are looked up by the pair of ``baseline``, images and variant.
    """

    id = models.BigAutoField(primary_key=True)
    # The index below begins with the build.
    build = models.ForeignKey(Build, models.CASCADE, related_name="review_log", db_index=False)
    # The screenshot may be deleted when the base branch changes; the log stays.
    screenshot = models.ForeignKey(
        Screenshot, models.SET_NULL, null=True, related_name="review_log"
    )
    decision = models.CharField(max_length=10)
    # The source of the decision, or ``retargeted`` for a decision kept when the pull request's base
    # branch changed.
    source = models.CharField(max_length=12)
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(default=now)
    comment = models.TextField(blank=True)
    # For decisions through the API: the program, and the images of the pair it had fetched.
    evidence = models.JSONField(null=True)
    # An undecided removal, accepted because the last changed or new screenshot was approved; an
    # approval of the build decides removals like all else.
    along_with_build = models.BooleanField(default=False, db_default=False)
    # The id of the entry that undid this entry, with the decision ``undone``.
    undone_by = models.BigIntegerField(null=True)
    # The index by pair begins with the baseline.
    baseline = models.ForeignKey(
        Baseline, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    # Empty for decisions on a build.
    story_id = models.CharField(max_length=NAME_LENGTH, blank=True)
    theme = models.CharField(max_length=10, blank=True)
    device = models.CharField(max_length=10, blank=True)
    left_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")
    right_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("build", "id"), name="review_log_of_build"),
            models.Index(
                fields=("baseline", "story_id", "theme", "device", "right_image"),
                name="review_log_by_pair",
            ),
        )

    def __str__(self) -> str:
        return f"{self.decision} by {self.decided_by_name}"

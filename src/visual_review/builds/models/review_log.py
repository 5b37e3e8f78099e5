"""The review log: every decision on a screenshot, its request, and the images seen before."""

from functools import partial

from django.db import models

from visual_review.builds.models.baselines import Baseline
from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH, Image
from visual_review.builds.models.screenshots import Screenshot
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import NAME_LENGTH

FORM_LENGTH = 20


class DecisionBatch(models.Model):
    """A request that decided screenshots, or undid such a request (``undoes``)."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "decision")
    )
    build = models.ForeignKey(Build, models.CASCADE, related_name="decision_batches")
    decided_by_id = models.CharField(max_length=MAX_LENGTH)
    # The caller's id: a repeated request has the same id and digest.
    request_id = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    undoes = models.OneToOneField("self", models.CASCADE, null=True, related_name="undone_by")
    # The ids of the first and last entry in the review log: all of the build's entries in between
    # belong to the request.
    first_entry = models.BigIntegerField(null=True)
    last_entry = models.BigIntegerField(null=True)
    # The replaced decisions, null if the request cannot be undone. One JSON document, because it is
    # only written and read as a whole.
    before = models.JSONField(null=True)
    # The response.
    result = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("build", "decided_by_id", "request_id"), name="one_batch_a_request"
            ),
        )

    def __str__(self) -> str:
        return self.id


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


class ImageView(models.Model):
    """An image of a screenshot fetched by a client, in one form and for one pair of images.

    A repeated fetch updates the row.
    """

    id = models.BigAutoField(primary_key=True)
    # The constraint below begins with the build, and no view is looked up otherwise.
    build = models.ForeignKey(Build, models.CASCADE, related_name="+", db_index=False)
    screenshot = models.ForeignKey(Screenshot, models.CASCADE, related_name="+")
    # The id of the API key, grant or user.
    viewer = models.CharField(max_length=MAX_LENGTH)
    client = models.CharField(max_length=300, blank=True)
    client_version = models.CharField(max_length=100, blank=True)
    form = models.CharField(max_length=FORM_LENGTH)
    # The pair of images at the time of the view (0 for none): views of an earlier pair never count
    # for a later pair. Plain ids: a view must not keep an image from being deleted, and ids are not
    # used again.
    before_image = models.BigIntegerField(default=0)
    after_image = models.BigIntegerField(default=0)
    # Set for the visible sides.
    before_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    after_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    # The largest shown scale, 1.0 for every pixel.
    scale = models.FloatField()
    # The shown parts of the screenshot, as x, y, width, height and scale.
    rectangles = models.JSONField(default=list, db_default=[])
    # The id of the comparison with the places (0 for none), another one after the regions of a
    # story changed.
    comparison = models.BigIntegerField(default=0, db_default=0)
    # The number of places to look at.
    places = models.PositiveIntegerField(default=0, db_default=0)
    # The positions of the visible places.
    seen = models.JSONField(default=list, db_default=[])
    viewed_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=(
                    "build",
                    "viewer",
                    "screenshot",
                    "form",
                    "before_image",
                    "after_image",
                    "client",
                    "client_version",
                ),
                name="one_view_a_form",
            ),
        )

    def __str__(self) -> str:
        return f"{self.form} of {self.screenshot_id} by {self.viewer}"

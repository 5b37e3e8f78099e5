"""Image views: which images of a screenshot an API client has fetched."""

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH
from visual_review.builds.models.screenshots import Screenshot
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH

FORM_LENGTH = 20


class ImageView(models.Model):
    """An image of a screenshot that a client has fetched, in one form and for one pair of images.

    ``viewer`` is the id of the API key, grant or user that fetched it. ``before_image`` and
    ``after_image`` are the pair of the screenshot at that time (0 for none), so that views of an
    earlier pair never count for a later one; ``before_sha256`` and ``after_sha256`` are set for
    the sides that were visible. ``scale`` is the largest shown, 1.0 for every pixel; ``rectangles``
    are the parts of the screenshot that were shown, as x, y, width, height and scale. ``seen`` are
    the positions of the ``places`` to look at that were visible; both are those of the id of a
    ``comparison`` (0 for none), which is another one after the regions of a story changed. A
    repeated fetch updates the row.
    """

    id = models.BigAutoField(primary_key=True)
    # The constraint below begins with the build, and no view is looked up otherwise.
    build = models.ForeignKey(Build, models.CASCADE, related_name="+", db_index=False)
    screenshot = models.ForeignKey(Screenshot, models.CASCADE, related_name="+")
    viewer = models.CharField(max_length=MAX_LENGTH)
    client = models.CharField(max_length=300, blank=True)
    client_version = models.CharField(max_length=100, blank=True)
    form = models.CharField(max_length=FORM_LENGTH)
    # Plain ids: a view must not keep an image from being deleted, and ids are not used again.
    before_image = models.BigIntegerField(default=0)
    after_image = models.BigIntegerField(default=0)
    before_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    after_sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    scale = models.FloatField()
    rectangles = models.JSONField(default=list, db_default=[])
    comparison = models.BigIntegerField(default=0, db_default=0)
    places = models.PositiveIntegerField(default=0, db_default=0)
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

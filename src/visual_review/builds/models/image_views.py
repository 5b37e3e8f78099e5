"""Image views: the images of a screenshot fetched by an API client."""

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH
from visual_review.builds.models.screenshots import Screenshot
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH

FORM_LENGTH = 20


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

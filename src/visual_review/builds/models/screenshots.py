"""Screenshots: one image of one story and variant in one build; and groups of them."""

from functools import partial

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH, Comparison, Image
from visual_review.builds.states import PENDING
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import NAME_LENGTH


class ChangeGroup(models.Model):
    """Screenshots of a build with similar changes, at least one."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "group"))
    # The unique keys of a build begin with the build.
    build = models.ForeignKey(Build, models.CASCADE, related_name="groups", db_index=False)
    # Finds the group again when the build is compared again.
    key = models.CharField(max_length=64)
    # Identifies the group within the build; given once and kept for ever.
    number = models.PositiveIntegerField(null=True)
    name = models.TextField(blank=True)
    kind = models.CharField(max_length=12, blank=True)
    # Orders a build's groups, the rarest first.
    position = models.PositiveIntegerField()
    screenshot_count = models.PositiveIntegerField()
    # Ids of screenshots with the change of the group and more besides, each in a group of its own.
    remainders = models.JSONField(default=list)
    # Digest of the members and their images.
    revision = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("build", "key"), name="one_group_a_key"),)

    def __str__(self) -> str:
        return self.name


class Screenshot(models.Model):
    """One image of one story and variant in one build.

    A removed screenshot has only a baseline image.
    """

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "shot"))
    # The unique variants of a build begin with the build.
    build = models.ForeignKey(Build, models.CASCADE, related_name="screenshots", db_index=False)
    story_id = models.CharField(max_length=NAME_LENGTH)
    title = models.CharField(max_length=500, blank=True)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    shard = models.PositiveIntegerField(default=1)
    # Announced by CI, like width and height; the image is set once the bytes are verified.
    sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    source_hash = models.CharField(max_length=SHA256_LENGTH, blank=True)
    # Empty if an earlier client did not send the hash.
    renderer_hash = models.CharField(
        max_length=SHA256_LENGTH, blank=True, default="", db_default=""
    )
    threshold = models.FloatField(null=True)
    # Rectangles ignored by the story, in pixels of the image.
    regions = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    # Protected: a referenced image cannot be deleted, even by a sweep that missed the reference.
    image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="screenshots")
    baseline_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")

    # Identifies a different or failed screenshot within its build; given once and kept.
    number = models.PositiveIntegerField(null=True)
    diff_state = models.CharField(max_length=10, default=PENDING)
    diff_ratio = models.FloatField(default=0)
    comparison = models.ForeignKey(Comparison, models.SET_NULL, null=True, related_name="+")
    # The index of groups has only the few screenshots in groups.
    group = models.ForeignKey(
        ChangeGroup, models.SET_NULL, null=True, related_name="screenshots", db_index=False
    )
    message = models.TextField(blank=True)
    # Why the page was still changing during the capture; empty for a stable page.
    unstable = models.TextField(blank=True)
    # Other findings of the capture: a list of {"kind", "text"}.
    notes = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    inherited = models.BooleanField(default=False)
    only_in_regions = models.BooleanField(default=False)
    # Another cause of the change, such as another browser; empty if the branch may be the cause.
    not_from_branch = models.TextField(blank=True, default="", db_default="")
    detection_only = models.BooleanField(default=False)
    matches_former_baseline = models.BooleanField(default=False)

    review_decision = models.CharField(max_length=10, blank=True)
    decision_source = models.CharField(max_length=12, blank=True)
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    decided_client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(null=True)
    comment = models.TextField(blank=True)
    # A plain id, because the screenshot's build may be deleted earlier.
    carried_from_id = models.CharField(max_length=MAX_LENGTH, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("build", "story_id", "theme", "device"), name="one_screenshot_a_variant"
            ),
            models.UniqueConstraint(
                fields=("build", "number"),
                name="one_screenshot_a_number",
                condition=models.Q(number__isnull=False),
            ),
        )
        indexes = (
            models.Index(
                fields=("group",),
                name="screenshots_of_group",
                condition=models.Q(group__isnull=False),
            ),
            # Few at any time: screenshots whose announced image is not stored yet.
            models.Index(
                fields=("sha256",),
                name="screenshots_announced",
                condition=models.Q(image=None) & ~models.Q(sha256=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device}"

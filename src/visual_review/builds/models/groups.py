"""Groups: the screenshots of a build with similar changes."""

from functools import partial

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.kernel.ids import MAX_LENGTH, new_id


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

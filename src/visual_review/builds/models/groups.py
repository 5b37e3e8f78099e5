"""Groups: the screenshots of a build that changed alike."""

from functools import partial

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.kernel.ids import MAX_LENGTH, new_id


class ChangeGroup(models.Model):
    """Screenshots of a build that changed alike; the least is one.

    ``number`` identifies it within the build, is given once and kept for ever.
    ``key`` finds the group again when the build is compared again. ``position`` orders a build's
    groups, the rarest first. ``remainders`` are ids of screenshots that have the change of the
    group and more besides, each in a group of its own. ``revision`` is a digest of what the
    members show.
    """

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "group"))
    # The unique keys of a build begin with it.
    build = models.ForeignKey(Build, models.CASCADE, related_name="groups", db_index=False)
    key = models.CharField(max_length=64)
    number = models.PositiveIntegerField(null=True)
    name = models.TextField(blank=True)
    kind = models.CharField(max_length=12, blank=True)
    position = models.PositiveIntegerField()
    screenshot_count = models.PositiveIntegerField()
    remainders = models.JSONField(default=list)
    revision = models.CharField(max_length=64)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("build", "key"), name="one_group_a_key"),)

    def __str__(self) -> str:
        return self.name

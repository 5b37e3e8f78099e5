"""Versions of a baseline, and its entries, each valid from one version to another."""

from functools import partial
from typing import Final

from django.db import models
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan

from visual_review.builds.models.baselines import Baseline
from visual_review.builds.models.builds import Build
from visual_review.builds.models.images import SHA256_LENGTH, Image
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import NAME_LENGTH

NO_END: Final = 2**31 - 1
# The first version without an entry; NO_END for a current entry.
END: Final = Coalesce("to_version", models.Value(NO_END))


class BaselineVersion(models.Model):
    """A version of a baseline, created by an approval or a restore, with user and reason."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "move"))
    baseline = models.ForeignKey(Baseline, models.CASCADE, related_name="versions")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=12)
    build = models.ForeignKey(Build, models.SET_NULL, null=True, related_name="versions")
    restored_sequence = models.PositiveIntegerField(null=True)
    reason = models.TextField(blank=True)
    created_by_id = models.CharField(max_length=MAX_LENGTH, blank=True, db_column="moved_by_id")
    created_by_name = models.CharField(max_length=300, blank=True, db_column="moved_by_name")
    source = models.CharField(max_length=12, blank=True)
    client = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=now, db_column="moved_at")

    class Meta:
        # Table and columns keep their first names: a version was called a move.
        db_table = "builds_baselinemove"
        constraints = (
            models.UniqueConstraint(fields=("baseline", "sequence"), name="one_move_a_sequence"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"


class BaselineEntry(models.Model):
    """Story and variant -> image, valid from one version until (not including) another."""

    id = models.BigAutoField(primary_key=True)
    # Both indexes below begin with the baseline.
    baseline = models.ForeignKey(Baseline, models.CASCADE, related_name="entries", db_index=False)
    story_id = models.CharField(max_length=NAME_LENGTH)
    title = models.CharField(max_length=500, blank=True)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    image = models.ForeignKey(Image, models.PROTECT, related_name="baseline_entries")
    source_hash = models.CharField(max_length=SHA256_LENGTH, blank=True)
    # Empty if an earlier client did not send the hash.
    renderer_hash = models.CharField(
        max_length=SHA256_LENGTH, blank=True, default="", db_default=""
    )
    # Rectangles ignored by the story when the image was captured, in its pixels.
    regions = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    from_version = models.PositiveIntegerField(db_column="from_move")
    to_version = models.PositiveIntegerField(null=True, db_column="to_move")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("baseline", "story_id", "theme", "device"),
                condition=models.Q(to_version=None),
                name="one_live_entry_a_variant",
            ),
        )
        indexes = (
            # A version is read by the entries that ended later: for a new version, few of all
            # entries of a long-lived branch.
            models.Index("baseline", END, name="entries_by_end"),
            # All images of a variant, the newest first.
            models.Index(
                fields=("baseline", "story_id", "theme", "device", "from_version"),
                name="entries_of_variant",
            ),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device} from {self.from_version}"


def ended_after(version: int) -> GreaterThan:
    """Return the indexed condition for entries with an end after ``version``, or without an end."""
    return GreaterThan(END, models.Value(version))

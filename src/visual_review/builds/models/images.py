"""Stored images, and comparisons of two images."""

from django.db import models

from visual_review.accounts.models import Organization
from visual_review.kernel.clock import now

SHA256_LENGTH = 64


class Image(models.Model):
    """Verified bytes, stored once per content hash and organization."""

    id = models.BigAutoField(primary_key=True)
    # The unique hashes of an organization begin with the organization.
    organization = models.ForeignKey(Organization, models.CASCADE, db_index=False)
    sha256 = models.CharField(max_length=SHA256_LENGTH)
    pixels_sha256 = models.CharField(max_length=SHA256_LENGTH)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    # A job renders the thumbnail after the verdict of the first build with the image.
    has_thumbnail = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "sha256"), name="one_image_a_hash"),
        )

    def __str__(self) -> str:
        return self.sha256


class Comparison(models.Model):
    """A cached verdict. ``key`` is a digest of pixel hashes, regions, engine and threshold.

    ``kind`` and the later columns describe the change, and are empty in rows of earlier versions.
    """

    id = models.BigAutoField(primary_key=True)
    # The unique hashes of an organization begin with the organization.
    organization = models.ForeignKey(Organization, models.CASCADE, db_index=False)
    key = models.CharField(max_length=SHA256_LENGTH)
    diff_pixels = models.PositiveBigIntegerField()
    diff_ratio = models.FloatField()
    # Why the images are equal or not.
    reason = models.CharField(max_length=30)
    boxes = models.JSONField(default=list)
    only_in_regions = models.BooleanField(default=False)
    has_picture = models.BooleanField(default=False)
    has_thumbnail = models.BooleanField(default=False)
    kind = models.CharField(max_length=12, blank=True)
    summary = models.TextField(blank=True)
    severity = models.FloatField(default=0)
    aligned_pixels = models.PositiveBigIntegerField(default=0)
    aligned_ratio = models.FloatField(default=0)
    faint_pixels = models.PositiveBigIntegerField(default=0)
    is_faintly_changed = models.BooleanField(default=False)
    # JSON of ``imagediff.changes``, like the signature; lists of screenshots load neither.
    changes = models.JSONField(default=list)
    signature = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "key"), name="one_comparison_a_key"),
        )

    def __str__(self) -> str:
        return self.key


class BlobDeletion(models.Model):
    """The last deletion of a blob, running until ``finished_at`` unless its process was killed.

    Kept for a day, for writers that stored the same bytes before the deletion ended.
    """

    key = models.TextField(primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return self.key

"""Repositories, their products, capture settings, dynamic regions and project tokens."""

from functools import partial

from django.db import models
from django.db.models.functions import Lower

from visual_review.accounts.models import Organization
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

DEFAULT_PRODUCT = "default"


class Repository(models.Model):
    """``removed_at`` hides it at once; a job then deletes its rows and blobs."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "repo"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="repositories")
    full_name = models.CharField(max_length=NAME_LENGTH)
    default_branch = models.CharField(max_length=BRANCH_LENGTH, default="main")
    # No sequence of the database: numbers begin at 1 in each repository and leave no gaps.
    last_build_number = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            # Source hosts compare names without regard to case.
            models.UniqueConstraint(
                "organization",
                Lower("full_name"),
                condition=models.Q(removed_at=None),
                name="one_repository_of_a_name",
            ),
        )

    def __str__(self) -> str:
        return self.full_name


class ProjectToken(models.Model):
    """The CI credential of a repository; a rotated one stays as a row with its end."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "token"))
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="tokens")
    hint = models.CharField(max_length=20)
    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=now)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.hint}..."


class Product(models.Model):
    """One reviewed thing of a repository, with its capture settings.

    ``themes`` and ``devices`` are overrides per axis (null: none). ``has_dark_mode`` and
    ``is_responsive`` are what detection measured (null: not yet).
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "product")
    )
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="products")
    key = models.CharField(max_length=64, default=DEFAULT_PRODUCT)
    themes = models.JSONField(null=True)
    devices = models.JSONField(null=True)
    has_dark_mode = models.BooleanField(null=True)
    is_responsive = models.BooleanField(null=True)
    detection_armed = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("repository", "key"), name="one_product_of_a_key"),
        )

    def __str__(self) -> str:
        return self.key


class OrganizationCapture(models.Model):
    """The organization's default matrix, per axis (null: none), and its notice flag."""

    organization = models.OneToOneField(
        Organization, models.CASCADE, primary_key=True, related_name="capture"
    )
    themes = models.JSONField(null=True)
    devices = models.JSONField(null=True)
    hides_detection_notice = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"capture default of {self.organization_id}"


class DynamicRegions(models.Model):
    """The ignored rectangles of one story variant: [{x, y, width, height}] as fractions."""

    product = models.ForeignKey(Product, models.CASCADE, related_name="dynamic_regions")
    story_id = models.CharField(max_length=NAME_LENGTH)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    regions = models.JSONField(default=list)
    updated_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "story_id", "theme", "device"), name="one_region_set_a_variant"
            ),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device}"

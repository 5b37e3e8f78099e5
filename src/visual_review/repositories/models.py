"""Repositories, products, settings, project tokens, and the account at a source host."""

from functools import partial

from django.db import models
from django.db.models.functions import Lower

from visual_review.accounts.models import Organization
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

DEFAULT_PRODUCT = "default"
URL_LENGTH = 300


class HostAccount(models.Model):
    """The account at a source host through which an organization's repositories are reached.

    ``credentials`` and ``webhook_secret`` are sealed. ``problem`` is what the host refused the
    last time, in words, empty while it works; ``paused_until`` is when it asked to come again.
    """

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "host"))
    # One: what a name of a repository means is then never in doubt.
    organization = models.OneToOneField(Organization, models.CASCADE, related_name="host_account")
    kind = models.CharField(max_length=10)
    address = models.CharField(max_length=URL_LENGTH)
    name = models.CharField(max_length=300, blank=True)
    credentials = models.TextField()
    webhook_secret = models.TextField(blank=True)
    connected_at = models.DateTimeField(default=now)
    problem = models.TextField(blank=True)
    checked_at = models.DateTimeField(null=True)
    paused_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} at {self.address}"


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

    # Null for repositories that no connected account knows: then nothing is told to a host.
    host_account = models.ForeignKey(
        HostAccount, models.SET_NULL, null=True, related_name="repositories"
    )
    # The host's own id, which stays when the repository is renamed there.
    host_id = models.CharField(max_length=100, blank=True)
    host_problem = models.TextField(blank=True)
    host_checked_at = models.DateTimeField(null=True)
    posts_comments = models.BooleanField(default=True)
    comment_pictures = models.BooleanField(default=True)
    # What the commit status says while a review is due: pending or failure.
    review_due_status = models.CharField(max_length=10, default="pending")
    # Whose identity tokens of CI jobs are taken in place of the project token; empty: nobody's.
    identity_issuer = models.CharField(max_length=URL_LENGTH, blank=True)
    # Days; null takes the organization's.
    keep_builds_days = models.PositiveIntegerField(null=True)
    keep_recordings_days = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (
            # Source hosts compare names without regard to case.
            models.UniqueConstraint(
                "organization",
                Lower("full_name"),
                condition=models.Q(removed_at=None),
                name="one_repository_of_a_name",
            ),
            models.UniqueConstraint(
                fields=("host_account", "host_id"),
                condition=models.Q(removed_at=None) & ~models.Q(host_id=""),
                name="one_repository_of_a_host_id",
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


class Retention(models.Model):
    """How many days an organization keeps what; null keeps for good. Baselines never go."""

    organization = models.OneToOneField(
        Organization, models.CASCADE, primary_key=True, related_name="retention"
    )
    builds_days = models.PositiveIntegerField(null=True)
    images_days = models.PositiveIntegerField(default=7)
    recordings_days = models.PositiveIntegerField(null=True, default=30)

    def __str__(self) -> str:
        return f"retention of {self.organization_id}"


class StorageUse(models.Model):
    """What a repository took of the storage when it was measured; without one, its organization.

    Images that several repositories show count for each of them, and for the organization once.
    ``pictures`` are drawn ones of a repository, and pictures of differences of the organization.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="storage_uses")
    repository = models.ForeignKey(
        Repository, models.CASCADE, null=True, related_name="storage_uses"
    )
    images = models.PositiveIntegerField(default=0)
    images_bytes = models.PositiveBigIntegerField(default=0)
    pictures_bytes = models.PositiveBigIntegerField(default=0)
    recordings = models.PositiveIntegerField(default=0)
    recordings_bytes = models.PositiveBigIntegerField(default=0)
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"storage of {self.repository_id or self.organization_id}"

    @property
    def total_bytes(self) -> int:
        return self.images_bytes + self.pictures_bytes + self.recordings_bytes


class WebhookDelivery(models.Model):
    """A delivery of a source host, kept so that a second one of the same id changes nothing.

    ``event`` is what it told, in our words, until a job has handled it. ``digest`` is the SHA-256
    of its body, in hexadecimal digits: the same bytes under another id are the same delivery.
    """

    id = models.BigAutoField(primary_key=True)
    account = models.ForeignKey(HostAccount, models.CASCADE, related_name="deliveries")
    delivery_id = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    kind = models.CharField(max_length=40)
    event = models.JSONField()
    received_at = models.DateTimeField(default=now)
    handled_at = models.DateTimeField(null=True)
    outcome = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("account", "delivery_id"), name="one_delivery_of_an_id"
            ),
            models.UniqueConstraint(fields=("account", "digest"), name="one_delivery_of_a_body"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.delivery_id}"

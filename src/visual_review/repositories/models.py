"""Repositories, products, settings, project tokens, and the account at a Git provider."""

from functools import partial

from django.db import models
from django.db.models.functions import Lower

from visual_review.accounts.models import Organization, User
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

DEFAULT_PRODUCT = "default"
PRODUCT_LENGTH = 64
URL_LENGTH = 300


class HostAccount(models.Model):
    """The account at a Git provider, with access to an organization's repositories.

    ``credentials`` and ``webhook_secret`` are encrypted.
    """

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "host"))
    # Only one, so that the name of a repository is never ambiguous.
    organization = models.OneToOneField(Organization, models.CASCADE, related_name="host_account")
    kind = models.CharField(max_length=10)
    address = models.CharField(max_length=URL_LENGTH)
    name = models.CharField(max_length=300, blank=True)
    credentials = models.TextField()
    webhook_secret = models.TextField(blank=True)
    connected_at = models.DateTimeField(default=now)
    # The host's last error, empty while the account works.
    problem = models.TextField(blank=True)
    checked_at = models.DateTimeField(null=True)
    # The time of the next request allowed by the host.
    paused_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} at {self.address}"


class Repository(models.Model):
    """``removed_at`` hides the repository immediately; a job then deletes its rows and blobs."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "repo"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="repositories")
    full_name = models.CharField(max_length=NAME_LENGTH)
    default_branch = models.CharField(max_length=BRANCH_LENGTH, default="main")
    # The key of the product for requests without a key; empty: nothing was published yet.
    default_product = models.CharField(max_length=PRODUCT_LENGTH, blank=True)
    # Not a database sequence: numbers begin at 1 in each repository and have no gaps.
    last_build_number = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now)
    removed_at = models.DateTimeField(null=True)

    # Null if not linked to a connected account: then nothing is sent to a Git provider.
    host_account = models.ForeignKey(
        HostAccount, models.SET_NULL, null=True, related_name="repositories"
    )
    # The host's own id, which does not change when the repository is renamed there.
    host_id = models.CharField(max_length=100, blank=True)
    host_problem = models.TextField(blank=True)
    host_checked_at = models.DateTimeField(null=True)
    posts_comments = models.BooleanField(default=True)
    comment_pictures = models.BooleanField(default=True)
    # The state of the commit status while a review is due: pending or failure.
    review_due_status = models.CharField(max_length=10, default="pending")
    # Whether builds without captures pass on pull requests of the repository's own branches.
    allows_skip = models.BooleanField(default=False, db_default=False)
    # The issuer whose CI identity tokens are accepted instead of the project token; empty: none.
    identity_issuer = models.CharField(max_length=URL_LENGTH, blank=True)
    # The provider's id of the repository in the first accepted identity token; others are refused.
    identity_pin = models.CharField(max_length=100, blank=True)
    # Whether tokens may have the whole service as their audience, as before pins existed.
    identity_shared_audience = models.BooleanField(default=False)
    # In days; null: the organization's setting.
    keep_builds_days = models.PositiveIntegerField(null=True)
    keep_recordings_days = models.PositiveIntegerField(null=True)
    # Whether an approval counts in other pull requests with the same change.
    carries_approvals_over = models.BooleanField(default=True, db_default=True)

    class Meta:
        constraints = (
            # Git providers compare names without regard to case.
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
    """The CI credential of a repository; the row of a rotated one stays, marked as revoked."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "token"))
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="tokens")
    hint = models.CharField(max_length=20)
    secret_hash = models.CharField(max_length=64, unique=True)
    # The user or key that saw the token; a plain id, as the token outlives users and keys.
    created_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    created_at = models.DateTimeField(default=now)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.hint}..."


class Product(models.Model):
    """A separately reviewed part of a repository, with its capture settings.

    ``themes`` and ``devices`` are overrides per axis (null: none). ``has_dark_mode`` and
    ``is_responsive`` are the detected capabilities (null: not detected yet).
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "product")
    )
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="products")
    key = models.CharField(max_length=PRODUCT_LENGTH, default=DEFAULT_PRODUCT)
    themes = models.JSONField(null=True)
    devices = models.JSONField(null=True)
    has_dark_mode = models.BooleanField(null=True)
    is_responsive = models.BooleanField(null=True)
    detection_armed = models.BooleanField(default=True)
    # Whether a faint change makes a screenshot changed; null: see boolean_settings.py.
    counts_faint_changes = models.BooleanField(null=True)
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
    updated_by = models.CharField(max_length=NAME_LENGTH, default="", db_default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "story_id", "theme", "device"), name="one_region_set_a_variant"
            ),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device}"


class Retention(models.Model):
    """For how many days an organization keeps its data; null: forever."""

    organization = models.OneToOneField(
        Organization, models.CASCADE, primary_key=True, related_name="retention"
    )
    builds_days = models.PositiveIntegerField(null=True)
    images_days = models.PositiveIntegerField(default=7)
    recordings_days = models.PositiveIntegerField(null=True, default=30)
    # Of the audit log.
    audit_days = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return f"retention of {self.organization_id}"


class StorageUse(models.Model):
    """The measured storage use of a repository, or without one, of the organization.

    An image used by several repositories counts for each repository, and once for the organization.
    ``pictures_bytes`` are rendered images of a repository, and diff images of the organization.
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


class OrganizationQuota(models.Model):
    """Limits of an organization, and the counted use; a limit of null is the service's.

    ``stored_bytes``: the last measurement plus later uploads; null while nothing is counted.
    ``builds`` and ``pixels`` are the counts of ``day``.
    """

    organization = models.OneToOneField(Organization, models.CASCADE, primary_key=True)
    stored_gigabytes_limit = models.PositiveIntegerField(null=True)
    builds_limit = models.PositiveIntegerField(null=True)
    megapixels_limit = models.PositiveIntegerField(null=True)
    stored_bytes = models.PositiveBigIntegerField(null=True)
    day = models.DateField(null=True)
    builds = models.PositiveIntegerField(default=0)
    pixels = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"quota of {self.organization_id}"


class WebhookDelivery(models.Model):
    """A webhook delivery, stored so that a second delivery with the same id changes nothing.

    ``event`` is its normalized content until a job has handled the event. ``digest`` is the
    hexadecimal SHA-256 of its body: the same bytes with another id are the same delivery.
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


class JobFailure(models.Model):
    """Why the job with this number in the queue failed for good. The queue deletes its own row."""

    job_id = models.BigIntegerField(primary_key=True)
    reason = models.TextField()

    def __str__(self) -> str:
        return f"job {self.job_id}: {self.reason}"


class CodeOwners(models.Model):
    """``text`` is the ``CODEOWNERS`` of the default branch, last sent by CI.

    ``title_rules`` are of the same form, for titles of stories without a known source file.
    """

    repository = models.OneToOneField(Repository, models.CASCADE, related_name="code_owners")
    text = models.TextField(blank=True)
    title_rules = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"CODEOWNERS of {self.repository}"


class OwnerMember(models.Model):
    """The member behind the name of a person or team in ``CODEOWNERS``."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=300)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("organization", "name", "user"), name="one_member_an_owner"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} is {self.user}"

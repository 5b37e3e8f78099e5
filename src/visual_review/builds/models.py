"""Builds, screenshots, images, baselines and the review log. Rows carry no decisions.

What the machine does (``status``), what it saw (``diff_state``) and what a person decided
(``review_*``) are separate columns.
"""

from functools import partial

from django.db import models

from visual_review.accounts.models import Organization
from visual_review.builds.host_models import (
    COMMIT_LENGTH,
    HostMessage,  # noqa: F401 - Django finds an app's tables in this module alone.
    PullRequest,  # noqa: F401 - As above.
)
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

SHA256_LENGTH = 64


class Image(models.Model):
    """Verified bytes, stored once per content hash and organization."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE)
    sha256 = models.CharField(max_length=SHA256_LENGTH)
    pixels_sha256 = models.CharField(max_length=SHA256_LENGTH)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "sha256"), name="one_image_a_hash"),
        )

    def __str__(self) -> str:
        return self.sha256


class Baseline(models.Model):
    """The baseline of one (product, head repository, branch).

    ``head_repository`` is empty for the connected repository itself, and names a fork
    otherwise. ``last_move`` is the sequence number of the newest move; 0 means none yet.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "baseline")
    )
    product = models.ForeignKey(Product, models.CASCADE, related_name="baselines")
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    last_move = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now)
    # As the host told; null again once the branch is published anew.
    branch_deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "head_repository", "branch"), name="one_baseline_a_branch"
            ),
        )

    def __str__(self) -> str:
        return f"{self.head_repository}:{self.branch}".lstrip(":")


class Build(models.Model):
    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "build"))
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="builds")
    product = models.ForeignKey(Product, models.CASCADE, related_name="builds")
    number = models.PositiveIntegerField()
    nonce = models.CharField(max_length=200)
    shards_total = models.PositiveIntegerField(default=1)

    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    commit = models.CharField(max_length=COMMIT_LENGTH)
    base_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    merge_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    merge_base_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    pull_request = models.PositiveIntegerField(null=True)
    base_branch = models.CharField(max_length=BRANCH_LENGTH, blank=True)
    message = models.TextField(blank=True)
    renderer = models.JSONField(default=dict)

    is_partial = models.BooleanField(default=False)
    # Kept as one document, because it is only ever read and compared whole.
    story_ids = models.JSONField(null=True)
    matrix = models.JSONField(default=list)
    detection_variants = models.JSONField(default=list)

    baseline_rule = models.CharField(max_length=20)
    baseline = models.ForeignKey(Baseline, models.SET_NULL, null=True, related_name="compared")
    baseline_move = models.PositiveIntegerField(default=0)

    status = models.CharField(max_length=12, default="uploading")
    failure = models.TextField(blank=True)
    created_at = models.DateTimeField(default=now)
    last_upload_at = models.DateTimeField(default=now)
    published_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    changed_count = models.PositiveIntegerField(default=0)
    new_count = models.PositiveIntegerField(default=0)
    removed_count = models.PositiveIntegerField(default=0)
    failed_count = models.PositiveIntegerField(default=0)
    unchanged_count = models.PositiveIntegerField(default=0)

    review_state = models.CharField(max_length=12, default="unreviewed")
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    decided_client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(null=True)
    decision_source = models.CharField(max_length=12, blank=True)
    superseded_by = models.ForeignKey("self", models.SET_NULL, null=True, related_name="supersedes")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("repository", "number"), name="one_build_a_number"),
            models.UniqueConstraint(fields=("product", "nonce"), name="one_build_a_nonce"),
        )
        indexes = (
            # Lists read their first page from these two without sorting a repository's builds.
            models.Index(fields=("repository", "-number"), name="builds_newest_first"),
            models.Index(fields=("product", "-number"), name="builds_of_product"),
            models.Index(fields=("product", "head_repository", "branch"), name="builds_of_branch"),
            models.Index(fields=("repository", "commit"), name="builds_of_commit"),
            models.Index(
                fields=("repository", "pull_request"),
                name="builds_of_pull_request",
                condition=models.Q(pull_request__isnull=False),
            ),
            models.Index(
                fields=("status", "last_upload_at"),
                name="builds_unfinished",
                condition=models.Q(status__in=("uploading", "processing")),
            ),
        )

    def __str__(self) -> str:
        return f"#{self.number}"


class BuildShard(models.Model):
    """One CI machine's part of a build; the last to finish completes it."""

    build = models.ForeignKey(Build, models.CASCADE, related_name="shards")
    index = models.PositiveIntegerField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("build", "index"), name="one_shard_row"),)

    def __str__(self) -> str:
        return f"shard {self.index}"


class Comparison(models.Model):
    """A cached verdict. ``key`` digests both pixel hashes, regions, engine and thresholds."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE)
    key = models.CharField(max_length=SHA256_LENGTH)
    diff_pixels = models.PositiveBigIntegerField()
    diff_ratio = models.FloatField()
    kind = models.CharField(max_length=30)
    boxes = models.JSONField(default=list)
    only_in_regions = models.BooleanField(default=False)
    has_picture = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "key"), name="one_comparison_a_key"),
        )

    def __str__(self) -> str:
        return self.key


class Screenshot(models.Model):
    """One image of one story and variant in one build.

    ``sha256``, ``width`` and ``height`` are what CI announced; ``image`` is set once the
    bytes were verified. ``removed`` ones have a baseline image alone.
    """

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "shot"))
    build = models.ForeignKey(Build, models.CASCADE, related_name="screenshots")
    story_id = models.CharField(max_length=NAME_LENGTH)
    title = models.CharField(max_length=500, blank=True)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    shard = models.PositiveIntegerField(default=1)
    sha256 = models.CharField(max_length=SHA256_LENGTH, blank=True)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    source_hash = models.CharField(max_length=SHA256_LENGTH, blank=True)
    threshold = models.FloatField(null=True)
    # Protected: an image that anything names cannot be deleted, whoever else believes it unused.
    image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="screenshots")
    baseline_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")

    diff_state = models.CharField(max_length=10, default="pending")
    diff_ratio = models.FloatField(default=0)
    comparison = models.ForeignKey(Comparison, models.SET_NULL, null=True, related_name="+")
    message = models.TextField(blank=True)
    inherited = models.BooleanField(default=False)
    only_in_regions = models.BooleanField(default=False)
    detection_only = models.BooleanField(default=False)
    matches_former_baseline = models.BooleanField(default=False)

    review_decision = models.CharField(max_length=10, blank=True)
    decision_source = models.CharField(max_length=12, blank=True)
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    decided_client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(null=True)
    comment = models.TextField(blank=True)
    # A plain id: the screenshot may lie in a build that is deleted earlier.
    carried_from_id = models.CharField(max_length=MAX_LENGTH, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("build", "story_id", "theme", "device"), name="one_screenshot_a_variant"
            ),
        )
        indexes = (
            # Few at any time: who announced an image that is not stored yet.
            models.Index(
                fields=("sha256",),
                name="screenshots_announced",
                condition=models.Q(image=None) & ~models.Q(sha256=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device}"


class BaselineMove(models.Model):
    """A baseline changed: by an approval or a restore; why, by whom, from which build."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "move"))
    baseline = models.ForeignKey(Baseline, models.CASCADE, related_name="moves")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=12)
    build = models.ForeignKey(Build, models.SET_NULL, null=True, related_name="moves")
    restored_sequence = models.PositiveIntegerField(null=True)
    reason = models.TextField(blank=True)
    moved_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    moved_by_name = models.CharField(max_length=300, blank=True)
    source = models.CharField(max_length=12, blank=True)
    client = models.CharField(max_length=300, blank=True)
    moved_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("baseline", "sequence"), name="one_move_a_sequence"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.sequence}"


class BaselineEntry(models.Model):
    """Story and variant -> image, valid from one move until (not including) another."""

    id = models.BigAutoField(primary_key=True)
    baseline = models.ForeignKey(Baseline, models.CASCADE, related_name="entries")
    story_id = models.CharField(max_length=NAME_LENGTH)
    title = models.CharField(max_length=500, blank=True)
    theme = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    image = models.ForeignKey(Image, models.PROTECT, related_name="baseline_entries")
    source_hash = models.CharField(max_length=SHA256_LENGTH, blank=True)
    from_move = models.PositiveIntegerField()
    to_move = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("baseline", "story_id", "theme", "device"),
                condition=models.Q(to_move=None),
                name="one_live_entry_a_variant",
            ),
        )
        indexes = (models.Index(fields=("baseline", "from_move"), name="entries_by_move"),)

    def __str__(self) -> str:
        return f"{self.story_id} {self.theme} {self.device} from {self.from_move}"


class ReviewEntry(models.Model):
    """The review log: every decision on a screenshot (with its pair) or a build, kept for good.

    ``baseline``, images and variant make the pair that a carried-over approval looks for.
    ``story_id`` is empty for decisions on a build. ``source`` is the decision's, or ``retargeted``
    for one that was kept when the build's pull request got another target.
    """

    id = models.BigAutoField(primary_key=True)
    build = models.ForeignKey(Build, models.CASCADE, related_name="review_log")
    # What a decision was made on may go from the build when its target changes; the log stays.
    screenshot = models.ForeignKey(
        Screenshot, models.SET_NULL, null=True, related_name="review_log"
    )
    decision = models.CharField(max_length=10)
    source = models.CharField(max_length=12)
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(default=now)
    comment = models.TextField(blank=True)
    baseline = models.ForeignKey(Baseline, models.SET_NULL, null=True, related_name="+")
    story_id = models.CharField(max_length=NAME_LENGTH, blank=True)
    theme = models.CharField(max_length=10, blank=True)
    device = models.CharField(max_length=10, blank=True)
    left_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")
    right_image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(
                fields=("baseline", "story_id", "theme", "device", "right_image"),
                name="review_log_by_pair",
            ),
        )

    def __str__(self) -> str:
        return f"{self.decision} by {self.decided_by_name}"
